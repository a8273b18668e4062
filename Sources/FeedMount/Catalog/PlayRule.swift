import Catalog
import Filling

/// Decides how far a user is with an entry after a program has closed it.
///
/// Copying is not playing: a copy reads a film faster than anybody watches it.
struct PlayRule {
  /// Seconds, as the feed says; nil if they are not known.
  let duration: Double?
  /// Bytes of the file.
  let length: Int

  /// The fastest playing, as a multiple of the film's own pace. Faster reading is copying.
  private static let fastest = 2.0
  /// The assumed bytes a second of a film of unknown duration.
  private static let usualRate = 1_000_000.0

  /// Returns the mark that the entry gets; nil if it keeps the one that it has.
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
    // A player may read ahead at any pace. Any other program counts as playing only if it reads at
    // the film's pace.
    return isPlayer || isAtPace ? .started : nil
  }
}
