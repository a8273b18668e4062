import Addresses

/// Decides how long a request waits for the head of its answer, for each origin.
///
/// A server whose heads come late can be slow without being dead, such as a cold archive or a
/// transcoder. A request that has a connection but no head is dropped after some time. The next
/// request to the origin then waits for twice that time, and the one after it for four times. The
/// time that an origin needed is remembered until its heads come sooner again.
///
/// A value without a clock: its caller passes the times.
struct HeadTimeouts {
  private struct Server {
    /// The time for which a request waits for its head.
    var time: Duration
    /// The number of heads in a row that came early enough to allow a shorter `time`.
    var soon = 0
  }

  /// The time for which a request to an origin that is not remembered waits for its head.
  let usual: Duration
  /// The longest time for which any request waits for its head.
  let maxTime: Duration
  private var servers: [OriginName: Server] = [:]

  /// - Parameter limit: the time after which no caller waits for a head any more.
  init(usual: Duration, limit: Duration) {
    self.usual = usual
    maxTime = max(usual, min(usual * 4, limit))
  }

  /// Returns how long a request to `origin` waits for its head.
  func time(at origin: OriginName) -> Duration {
    servers[origin]?.time ?? usual
  }

  /// Notes that a request was dropped because it was silent for `time`.
  mutating func wasSilent(_ origin: OriginName, for time: Duration) {
    // If the origin was silent for the longest time, it is probably dead and not slow. So its
    // timeout is `usual` again.
    guard time < maxTime else {
      servers[origin] = nil
      return
    }
    set(origin, max(self.time(at: origin), min(time * 2, maxTime)))
  }

  /// Notes that a head came, after the time `waited` since its request.
  mutating func answered(_ origin: OriginName, after waited: Duration) {
    let needed = step(above: waited)
    guard let server = servers[origin] else {
      if needed > usual { set(origin, needed) }
      return
    }
    guard needed < server.time else { return set(origin, needed) }
    servers[origin]?.soon += 1
    guard server.soon + 1 >= Self.enough else { return }
    let less = max(server.time / 2, needed)
    if less > usual { set(origin, less) } else { servers[origin] = nil }
  }

  private mutating func set(_ origin: OriginName, _ time: Duration) {
    if servers[origin] == nil, servers.count >= Self.maxOrigins, let any = servers.keys.first {
      servers[any] = nil
    }
    servers[origin] = Server(time: time)
  }

  /// Returns the timeout for heads that take `waited`: `usual`, doubled until it is at least a
  /// fourth longer than `waited`, but at most `maxTime`.
  private func step(above waited: Duration) -> Duration {
    var time = usual
    while time < maxTime, time < waited * 5 / 4 { time = min(time * 2, maxTime) }
    return time
  }

  /// The number of early heads in a row after which the timeout becomes shorter again.
  static let enough = 8
  private static let maxOrigins = 256
}
