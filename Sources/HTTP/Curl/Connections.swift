import Addresses

/// The connections to origins, with the transfers that use them. Decides which connections are
/// allowed to be used again.
///
/// A value that only decides, without side effects. It takes the events of sockets, and returns the
/// sockets that the caller has to shut. A pooled connection is trusted only while it answers. After
/// a failure on one connection of an origin, the origin's other silent connections become suspect.
/// Running transfers go on over a suspect connection, but no new transfer begins there.
struct Connections {
  typealias Instant = ContinuousClock.Instant
  /// A socket, by its descriptor.
  typealias Socket = Int32

  /// The kind of connection that a transfer got.
  enum Use: Equatable {
    case new, reused
    /// The connection is suspect, so the transfer needs another one.
    case refused
  }

  private struct Connection {
    var origin: OriginName
    var users: Set<TransferID> = []
    /// The time when the connection opened, or when bytes last came over it.
    var lastHeard: Instant
    /// True once a request went over the connection, so it is established.
    var hasCarried = false
    var isSuspect = false
    /// True when the other end is perhaps gone, because the connection was silent or the network
    /// changed.
    var mayBeDead = false
    /// True for HTTP/2 and later: several transfers use the connection at once, and the server can
    /// send without a request.
    var isShared = false

    var isIdle: Bool { hasCarried && users.isEmpty }
  }

  /// A request can get a connection of its own while its origin has fewer connections than this. At
  /// this number, requests share.
  private static let maxApart = 16

  private var all: [Socket: Connection] = [:]
  private var used: [TransferID: Socket] = [:]

  var sockets: [Socket] { Array(all.keys) }

  // MARK: Events

  mutating func opened(_ socket: Socket, for origin: OriginName, at now: Instant) {
    all[socket] = Connection(origin: origin, lastHeard: now)
  }

  mutating func closed(_ socket: Socket) {
    guard let connection = all.removeValue(forKey: socket) else { return }
    for id in connection.users { used[id] = nil }
  }

  /// Assigns the connection of `socket` to the request of `id`, which libcurl is about to send over
  /// it.
  mutating func uses(_ socket: Socket, by id: TransferID, of origin: OriginName) -> Use {
    guard let connection = all[socket] else { return .new }
    guard !connection.isSuspect else { return .refused }
    all[socket]?.users.insert(id)
    all[socket]?.hasCarried = true
    // A connection to a proxy was perhaps opened for another origin.
    all[socket]?.origin = origin
    used[id] = socket
    return connection.hasCarried ? .reused : .new
  }

  /// Notes that bytes came for the transfer `id`.
  mutating func heard(_ id: TransferID, isShared: Bool?, at now: Instant) {
    guard let socket = used[id] else { return }
    all[socket]?.lastHeard = now
    if let isShared { all[socket]?.isShared = isShared }
  }

  /// Notes that the transfer `id` has ended. Returns its socket if the connection is suspect and no
  /// other transfer uses it. The caller has to shut that socket.
  mutating func left(_ id: TransferID) -> Socket? {
    guard let socket = used.removeValue(forKey: id) else { return nil }
    all[socket]?.users.remove(id)
    return all[socket].map { $0.isIdle && $0.isSuspect } == true ? socket : nil
  }

  /// Makes each connection suspect that brought nothing since `since`. If `since` is nil, makes all
  /// connections suspect. Returns the idle ones among them, which the caller has to shut.
  ///
  /// - Parameter origin: the origin of the connections; nil: all origins.
  mutating func suspect(
    _ origin: OriginName?, since: Instant? = nil, mayBeDead: Bool
  ) -> [Socket] {
    var idle: [Socket] = []
    for (socket, connection) in all where origin.map({ $0 == connection.origin }) ?? true {
      guard connection.hasCarried, since.map({ connection.lastHeard < $0 }) ?? true else {
        continue
      }
      all[socket]?.mayBeDead = connection.mayBeDead || mayBeDead
      guard !connection.isSuspect else { continue }
      all[socket]?.isSuspect = true
      if connection.isIdle { idle.append(socket) }
    }
    return idle.sorted()
  }

  /// Makes the connection of `id` suspect, even if it brought bytes.
  mutating func suspect(theOneOf id: TransferID) {
    if let socket = used[id] { all[socket]?.isSuspect = true }
  }

  // MARK: Questions

  /// Returns how many transfers libcurl is allowed to put on one connection when the next request
  /// to `origin` starts; nil if no connection of the origin is shared. libcurl uses the first
  /// connection with fewer transfers than that. So the request gets the least busy connection, or
  /// one of its own if `isApart` is true.
  func streams(for origin: OriginName, isApart: Bool) -> Int? {
    let all = all.values.filter { $0.origin == origin }
    let least = all.lazy.filter { $0.isShared && !$0.isSuspect }.map(\.users.count).min()
    guard let least else { return nil }
    return isApart && all.count < Self.maxApart ? 1 : least + 1
  }

  /// Whether the connection of `id` is perhaps dead, so that its answer would never come.
  func mayBeDead(_ id: TransferID) -> Bool {
    used[id].flatMap { all[$0]?.mayBeDead } ?? false
  }

  /// Returns the idle connections that libcurl can use for the next request to an origin. If such a
  /// connection has something to read before that request, it has ended, or has brought an answer
  /// that belongs to no request.
  func idle(of origin: OriginName) -> [(socket: Socket, isShared: Bool)] {
    all.lazy.filter { $0.value.origin == origin && $0.value.isIdle && !$0.value.isSuspect }
      .map { ($0.key, $0.value.isShared) }
  }
}
