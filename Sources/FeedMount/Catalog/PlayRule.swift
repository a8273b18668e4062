import Catalog
import Filling

/// Decides how far a user is with an entry after a program has closed it.
///
/// A copy does not count as playing. A program copies if it reads faster than anybody watches.
struct PlayRule {
  /// The playing time in seconds that the feed states; nil if it states none.
  let duration: Double?
  /// The length of the file in bytes.
  let length: Int

  /// The fastest reading that counts as playing, as a multiple of the normal playing speed.
  private static let fastest = 2.0
  /// The assumed bytes a second of media of unknown duration.
  private static let usualRate = 1_000_000.0

  /// Returns the new mark of the entry; nil if the entry keeps its mark.
  ///
  /// - Parameter isPlayer: whether the program is a player.
  func mark(after run: ReadRun, isPlayer: Bool) -> EntryMark? {
    guard run.isBegun else { return nil }
    let seconds = run.time / .seconds(1)
    guard let bytes = run.bytes else {
      // The kernel has answered the reads, so only the time is known.
      guard isPlayer else { return nil }
      return duration.map { seconds >= $0 * 0.9 } ?? false ? .played : .started
    }
    let whole = duration ?? Double(length) / Self.usualRate
    let read = length > 0 ? whole * Double(bytes) / Double(length) : 0
    let isAtPace = read <= seconds * Self.fastest
    if run.reachesEnd, isAtPace { return .played }
    // A player can read ahead at any pace. Any other program counts as playing only if it reads no
    // faster than `fastest` allows.
    return isPlayer || isAtPace ? .started : nil
  }
}
