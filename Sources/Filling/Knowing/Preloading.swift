import Blocks

/// The bytes of a file that are fetched before any reader asks: preloaded parts, and the
/// container's index.
struct Preloading: Sendable {
  /// The parts that are still to be fetched.
  private(set) var wanted: [Part] = []
  /// True if nothing is preloaded until the next call of `set`, because the store evicts blocks to
  /// make room for new ones.
  private(set) var isResting = false
  /// The playing time of the file, if known.
  var duration: Duration?
  /// The bytes of the container's index that are fetched ahead, at most `indexLength`. Nil if the
  /// index is in front of the media data, or if its place is not known.
  private(set) var index: ByteRange?
  /// True if the index was requested.
  private var isIndexAsked = false

  /// The largest number of bytes of an index that are fetched ahead. The other bytes of a longer
  /// index are fetched as its reader reads on.
  private static let indexLength = 1 << 20

  /// True if the whole file is wanted.
  var isWhole: Bool { wanted.contains(.whole) }

  /// Sets the parts to preload, and lets preloading go on.
  mutating func set(_ wanted: [Part]) {
    self.wanted = wanted
    isResting = false
  }

  /// Notes that all parts are cached or under way.
  mutating func end() {
    wanted = []
  }

  /// Stops preloading until the next call of `set`, because the store evicts blocks to make room
  /// for new ones.
  mutating func pause() {
    isResting = true
  }

  // MARK: The index

  /// Notes that the index of a file of `length` bytes begins at `offset`. Returns false if the
  /// place of the index was already known, or if `offset` lies beyond the end of the file.
  mutating func found(indexAt offset: Int, length: Int) -> Bool {
    guard index == nil, offset < length else { return false }
    index = offset..<min(offset + Self.indexLength, length)
    return true
  }

  /// The bytes of the index that must be requested; nil if the place of the index is not known, or
  /// if they were requested already.
  var unaskedIndex: ByteRange? { isIndexAsked ? nil : index }

  mutating func askedForIndex() {
    isIndexAsked = true
  }

  /// Notes that the fetch of the index has failed, so the index must be requested again.
  mutating func missedIndex() {
    isIndexAsked = false
  }

  /// The offset of the index, if the playing time can be in the index. Nil if the playing time is
  /// already known, or if the place of the index is not known.
  var placeOfDuration: Int? { duration == nil ? index?.lowerBound : nil }
}
