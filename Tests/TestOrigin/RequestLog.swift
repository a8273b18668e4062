import Locks

/// The requests and the body bytes sent for each.
final class RequestLog: Sendable {
  private let start = ContinuousClock.now
  private let state = Locked(State())

  struct Entry {
    let number: Int
    let method: String
    let target: Target
    let headers: HeaderFields
    let connection: Int
    /// Milliseconds since the origin started.
    let begun: Int
    let status: Int?
    let fault: String?
    var ended: Int?
    /// Body bytes handed to the socket, less those that the client never took.
    var bytesSent = 0
  }

  fileprivate struct State {
    var entries: [Entry] = []
    /// The number of `entries[0]`; requests before the last reset have smaller numbers.
    var first = 0
    var active = 0
    var maxActive = 0
    /// Connections whose client waits for the log to change, by number.
    var watchers: [Int: Socket] = [:]
  }

  /// A condition on the requests below a path, for which a client can wait.
  struct Condition {
    var pathPrefix = "/"
    var requests = 0
    var bytesSent = 0
    /// True when all of them must have ended.
    var isIdle = false
  }

  /// Logs a request and its planned answer. A test that waited for the request may then clear the
  /// faults: the request has already met its own.
  ///
  /// - Returns: the number of the entry, for later changes.
  func begin(_ request: Request, connection: Int, status: Int?, fault: String?) -> Int {
    state.withLock { state in
      let number = state.first + state.entries.count
      state.entries.append(
        Entry(
          number: number, method: request.method, target: request.target,
          headers: request.headers, connection: connection, begun: elapsed, status: status,
          fault: fault))
      state.active += 1
      state.maxActive = max(state.maxActive, state.active)
      state.wakeWatchers()
      return number
    }
  }

  /// Adds to the body bytes of an entry.
  ///
  /// - Parameter count: negative for bytes that turned out to be lost.
  func sent(_ number: Int, _ count: Int) {
    change(number) { entry, _ in entry.bytesSent = max(0, entry.bytesSent + count) }
  }

  func end(_ number: Int) {
    let now = elapsed
    change(number) { entry, active in
      entry.ended = now
      active -= 1
    }
  }

  /// Waits until the condition holds; false if it does not by `deadline`.
  func wait(
    for condition: Condition, until deadline: ContinuousClock.Instant, on socket: Socket
  ) -> Bool {
    state.withLock { $0.watchers[socket.number] = socket }
    defer { state.withLock { _ = $0.watchers.removeValue(forKey: socket.number) } }
    let waking = socket.pause(until: deadline) {
      state.withLock { condition.holds(for: $0.entries) }
    }
    return waking == .released
  }

  /// Forgets all requests, also those under way.
  func reset() {
    state.withLock { state in
      state.first += state.entries.count
      state.entries = []
      state.active = 0
      state.maxActive = 0
    }
  }

  func json(below path: String) -> JSON {
    .array(
      state.withLock(\.entries).filter { $0.target.path.hasPrefix(path) }.map(\.json))
  }

  var statistics: JSON {
    let state = state.withLock { $0 }
    let paths = Dictionary(grouping: state.entries, by: \.target.path)
    return .object([
      ("requests", .number(state.entries.count)),
      ("bytesSent", .number(state.entries.bytesSent)),
      ("connections", .number(Set(state.entries.map(\.connection)).count)),
      ("active", .number(state.active)),
      ("maxActive", .number(state.maxActive)),
      (
        "paths",
        .object(
          paths.sorted { $0.key < $1.key }.map { path, entries in
            let totals: [(String, JSON)] = [
              ("requests", .number(entries.count)), ("bytesSent", .number(entries.bytesSent)),
            ]
            return (path, .object(totals))
          })
      ),
    ])
  }

  private var elapsed: Int { Int((ContinuousClock.now - start) / .milliseconds(1)) }

  private func change(_ number: Int, _ body: (inout Entry, inout Int) -> Void) {
    state.withLock { state in
      guard number >= state.first else { return }
      body(&state.entries[number - state.first], &state.active)
      state.wakeWatchers()
    }
  }
}

extension RequestLog.State {
  fileprivate func wakeWatchers() {
    for socket in watchers.values { socket.wake() }
  }
}

extension RequestLog.Condition {
  fileprivate func holds(for entries: [RequestLog.Entry]) -> Bool {
    let meant = entries.filter { $0.target.path.hasPrefix(pathPrefix) }
    return meant.count >= requests && meant.bytesSent >= bytesSent
      && !(isIdle && meant.contains { $0.ended == nil })
  }
}

extension [RequestLog.Entry] {
  fileprivate var bytesSent: Int { reduce(0) { $0 + $1.bytesSent } }
}

extension RequestLog.Entry {
  fileprivate var json: JSON {
    var fields: [String: String] = [:]
    for field in headers.fields { fields[field.name.lowercased(), default: field.value] += "" }
    return .object([
      ("n", .number(number)), ("method", .string(method)), ("target", .string(target.text)),
      ("path", .string(target.path)), ("range", .orNull(headers["Range"])),
      ("headers", .object(fields.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })),
      ("status", .orNull(status)), ("bytesSent", .number(bytesSent)),
      ("connection", .number(connection)), ("ms", .number(begun)), ("endMs", .orNull(ended)),
      ("fault", .orNull(fault)),
    ])
  }
}
