import Addresses

/// The connections to origins: which transfers use them, and which may be used again.
///
/// A value that decides: it takes the events of sockets, and names the sockets to shut. A pooled
/// connection is trusted only while it answers. After trouble on one connection of an origin, those
/// that were silent since are suspect: running transfers go on there, and no new one begins.
struct Connections {
  typealias Instant = ContinuousClock.Instant
  /// A socket, by its descriptor.
  typealias Socket = Int32

  /// The kind of connection that a transfer got.
  enum Use: Equatable {
    case new, kept
    /// The connection is suspect: the transfer needs another one.
    case refused
  }

  private struct Connection {
    var origin: OriginName
    var users: Set<TransferID> = []
    /// The time when it opened, or when something last came over it.
    var lastHeard: Instant
    /// True once a request went over it: the connection is established.
    var hasCarried = false
    var isSuspect = false
    /// True when it may lead nowhere: it was silent, or the network changed.
    var mayBeDead = false
    /// True for HTTP/2: several transfers use it at once, and its server may speak unasked.
    var isShared = false

    var isIdle: Bool { hasCarried && users.isEmpty }
  }

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

  /// Assigns the connection of `socket` to the request of `id`, which is about to go over it.
  mutating func uses(_ socket: Socket, by id: TransferID, of origin: OriginName) -> Use {
    guard let connection = all[socket] else { return .new }
    guard !connection.isSuspect else { return .refused }
    all[socket]?.users.insert(id)
    all[socket]?.hasCarried = true
    // Over a proxy, a connection may serve another origin than the one that it was opened for.
    all[socket]?.origin = origin
    used[id] = socket
    return connection.hasCarried ? .kept : .new
  }

  /// Notes that something came for `id`.
  mutating func heard(_ id: TransferID, isShared: Bool?, at now: Instant) {
    guard let socket = used[id] else { return }
    all[socket]?.lastHeard = now
    if let isShared { all[socket]?.isShared = isShared }
  }

  /// Notes that `id` has ended. Returns the socket to shut if `id` was the last on a suspect one.
  mutating func left(_ id: TransferID) -> Socket? {
    guard let socket = used.removeValue(forKey: id) else { return nil }
    all[socket]?.users.remove(id)
    return all[socket].map { $0.isIdle && $0.isSuspect } == true ? socket : nil
  }

  /// Makes all connections suspect that were last heard before `since` (nil: all). Returns the idle
  /// ones among them, which the caller has to shut.
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

  /// Makes the connection of `id` suspect, whatever came over it.
  mutating func suspect(theOneOf id: TransferID) {
    if let socket = used[id] { all[socket]?.isSuspect = true }
  }

  // MARK: Questions

  /// Whether the answer that `id` waits for may never come.
  func mayBeDead(_ id: TransferID) -> Bool {
    used[id].flatMap { all[$0]?.mayBeDead } ?? false
  }

  /// Returns the idle connections that an origin's next request may use. Bytes that arrive there
  /// before that request are the connection's end, or an answer to no request.
  func idle(of origin: OriginName) -> [(socket: Socket, isShared: Bool)] {
    all.lazy.filter { $0.value.origin == origin && $0.value.isIdle && !$0.value.isSuspect }
      .map { ($0.key, $0.value.isShared) }
  }
}
