/// The user's position in the entry that plays.
struct Place: Hashable, Sendable {
  private(set) var seconds = 0.0
  /// The duration in seconds; nil if it is not known yet.
  var duration: Double?
  /// The offset of the picture in the file, in bytes; nil if the player does not tell it.
  var byte: Int?
  /// The last saved position, in seconds.
  var kept: Double?
  private var count = 0

  /// The number of positions, a second apart, from one save to the next.
  private static let pace = 15

  /// Moves the position. Returns true when it is time to save it.
  mutating func moved(to seconds: Double) -> Bool {
    self.seconds = seconds
    count += 1
    return count.isMultiple(of: Self.pace) && kept != seconds
  }

  /// Returns about where in a file of `size` bytes the picture of the position `seconds` is.
  /// Without `seconds`, the current position counts. Returns nil if the duration or the size is not
  /// known.
  func byte(of size: Int?, at seconds: Double? = nil) -> Int? {
    guard let size, let duration, duration >= 1 else { return nil }
    return Int(Double(size) * min(1, max(0, (seconds ?? self.seconds) / duration)))
  }

  /// True if a move to `seconds` would be a jump to the last picture. mpv jumps there by itself
  /// when the bytes of a file end before mpv has a picture to show.
  func isJumpToEnd(_ seconds: Double) -> Bool {
    guard let duration else { return false }
    return seconds > duration - 2 && self.seconds < seconds - 5
  }

  /// True near the end, where only the credits can follow.
  var isNearEnd: Bool {
    guard let duration else { return false }
    return duration - seconds < max(2, duration / 20)
  }

  /// True if a file that ends at this position has ended too early. The position can be a second
  /// old.
  var isCutShort: Bool { duration != nil && !isNearEnd }

  /// True if the user may want to return to this position. After a short look at the beginning, it
  /// is false.
  var isWorthKeeping: Bool { seconds >= 3 && !isNearEnd }
}
