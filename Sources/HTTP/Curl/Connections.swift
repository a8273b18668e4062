/// The connections to origins: which transfers use them, and which of them may be used again.
///
/// A value that decides: it is told what happened to a socket, and names the sockets that are to be shut.
/// A kept connection is trusted only while it answers. After trouble on one of an origin, those that have
/// given no sign of life since are suspect: what is under way on them goes on, and nothing else begins there.
struct Connections {
  typealias Instant = ContinuousClock.Instant
  /// A socket, by its descriptor.
  typealias Socket = Int32

  /// How a transfer comes by its connection.
  enum Use: Equatable {
    case new, kept
    /// It is suspect: the transfer needs another one.
    case refused
  }

  private struct Connection {
    var origin: OriginName
    var users: Set<TransferID> = []
    /// When it was opened, or something came over it.
    var lastHeard: Instant
    /// A request went over it, so it stands.
    var hasCarried = false
    var isSuspect = false
    /// It is suspect since nothing is heard over it.
    var mayBeDead = false
    /// HTTP/2: several use it at once, and its server may speak when it was not asked.
    var isShared = false

    var isIdle: Bool { hasCarried && users.isEmpty }
  }

  private var all: [Socket: Connection] = [:]
  private var used: [TransferID: Socket] = [:]

  var sockets: [Socket] { Array(all.keys) }

  // MARK: What happened

  mutating func opened(_ socket: Socket, for origin: OriginName, at now: Instant) {
    all[socket] = Connection(origin: origin, lastHeard: now)
  }

  mutating func closed(_ socket: Socket) {
    guard let connection = all.removeValue(forKey: socket) else { return }
    for id in connection.users { used[id] = nil }
  }

  /// The request of `id` is about to go over `socket`.
  mutating func uses(_ socket: Socket, by id: TransferID, of origin: OriginName) -> Use {
    guard let connection = all[socket] else { return .new }
    guard !connection.isSuspect else { return .refused }
    all[socket]?.users.insert(id)
    all[socket]?.hasCarried = true
    // By way of a proxy a connection may serve another origin than the one that it was opened for.
    all[socket]?.origin = origin
    used[id] = socket
    return connection.hasCarried ? .kept : .new
  }

  /// Something came for `id`.
  mutating func heard(_ id: TransferID, isShared: Bool?, at now: Instant) {
    guard let socket = used[id] else { return }
    all[socket]?.lastHeard = now
    if let isShared { all[socket]?.isShared = isShared }
  }

  /// `id` has ended; the socket to shut, if it was the last on a suspect one.
  mutating func left(_ id: TransferID) -> Socket? {
    guard let socket = used.removeValue(forKey: id) else { return nil }
    all[socket]?.users.remove(id)
    return all[socket].map { $0.isIdle && $0.isSuspect } == true ? socket : nil
  }

  /// Nothing that is kept is used again that was last heard before `since`; nil: all that is kept. The idle
  /// ones, which are to be shut.
  ///
  /// - Parameter origin: whose connections; nil: those of all.
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

  /// Nothing else begins on the connection of `id`, whatever came over it.
  mutating func suspect(theOneOf id: TransferID) {
    if let socket = used[id] { all[socket]?.isSuspect = true }
  }

  // MARK: Questions

  /// Whether what `id` waits for may never come.
  func mayBeDead(_ id: TransferID) -> Bool {
    used[id].flatMap { all[$0]?.mayBeDead } ?? false
  }

  /// The idle connections that an origin's next request may go over. What is to be read there before it
  /// is the end, or no answer to anything.
  func idle(of origin: OriginName) -> [(socket: Socket, isShared: Bool)] {
    all.lazy.filter { $0.value.origin == origin && $0.value.isIdle && !$0.value.isSuspect }
      .map { ($0.key, $0.value.isShared) }
  }
}
