import Playback
import Testing

/// News of a film of 10 MB and 100 KB a second. Its first half is cached, and its reader has these
/// bytes of it in front of it.
func film(
  _ condition: PlayCondition = .online, ahead: Int? = 0, isWhole: Bool = false,
  isWaiting: Bool = false, reason: String? = nil, isHopeless: Bool = false, of number: Int = 1
) -> Supply {
  Supply(
    path: path(number), condition: condition, isWhole: isWhole, isWaiting: isWaiting,
    size: 10_000_000, cached: [0..<edge], reader: ahead.map { .init(ahead: $0, edge: edge) },
    rate: 100_000, host: "example.org", reason: reason, isHopeless: isHopeless)
}

/// The first missing byte of that film.
let edge = 5_000_000

/// The last byte of its block of 64 KiB.
let probed = 5_046_271

/// The origin is away, and the reader has come to the missing bytes.
let refused = film(reason: "connection refused")

/// The second entry could not be opened in an outage.
let cold = film(reason: "no bytes arrived in time", of: 2)

/// A player that was paused ten seconds after the start.
func held(by supply: Supply) -> PlayQueue {
  var queue = playing(1, of: [1, 2])
  _ = queue.happened(.second(10))
  #expect(queue.happened(.supplied(supply)) == [.hold(true)])
  return queue
}

/// A player that has come to the end of its bytes at 40 of 100 seconds.
func lost(by supply: Supply) -> PlayQueue {
  var queue = playing(1, of: [1, 2])
  _ = queue.happened(.lasts(100))
  _ = queue.happened(.second(50))
  _ = queue.happened(.isAt(40))
  #expect(queue.happened(.isAtEnd(true)) == [.askPosition, .check(path(1))])
  return queue
}

/// The player cannot open an entry, and the mount says why.
func fail(_ number: Int, _ queue: inout PlayQueue, because supply: Supply) -> [PlayAction] {
  _ = queue.happened(.opens(path(number)))
  _ = queue.happened(.ended(.failed))
  return queue.happened(.checked(path(number), supply))
}

func isProbe(_ action: PlayAction) -> Bool {
  action == .probe(path(1), at: probed)
}

func isProbed(_ actions: [PlayAction]) -> Bool {
  actions.contains(where: isProbe)
}

/// A time as the player's screen shows it.
func clock(_ seconds: Int) -> String {
  "\(seconds / 60):\(seconds % 60 < 10 ? "0" : "")\(seconds % 60)"
}
