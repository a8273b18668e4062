import Blocks

/// The bytes of a file that are fetched before any reader asks: preloaded parts, and the
/// container's index.
struct Preloading: Sendable {
  /// The parts that are still to be fetched.
  private(set) var wanted: [Part] = []
  /// True if preloading waits for the next `set`, because the store evicts blocks for new ones.
  private(set) var isResting = false
  /// The playing time of the file, if known.
  var duration: Duration?
  /// The container's index, or the first `indexLength` bytes of it; nil if the index is in front,
  /// or its place is not known.
  private(set) var index: ByteRange?
  /// True if the index was requested.
  private var isIndexAsked = false

  /// The limit for the bytes of an index that are fetched ahead. The rest of a longer index is
  /// fetched as its reader reads on.
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

  /// Lets preloading wait for the next `set`, because the store evicts blocks for new ones.
  mutating func pause() {
    isResting = true
  }

  // MARK: The index

  /// Notes that the index of a file of `length` bytes begins at `offset`. Returns false if its
  /// place was known, or if the file ends before it.
  mutating func found(indexAt offset: Int, length: Int) -> Bool {
    guard index == nil, offset < length else { return false }
    index = offset..<min(offset + Self.indexLength, length)
    return true
  }

  /// The index; nil if it is not known, or was requested already.
  var unaskedIndex: ByteRange? { isIndexAsked ? nil : index }

  mutating func askedForIndex() {
    isIndexAsked = true
  }

  /// Notes that the fetch of the index has failed, so that it is requested again.
  mutating func missedIndex() {
    isIndexAsked = false
  }

  /// The offset of the index, if the playing time may be in it; nil if the time is known, or the
  /// place is not.
  var placeOfDuration: Int? { duration == nil ? index?.lowerBound : nil }
}
