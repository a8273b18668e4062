import Blocks

/// The bytes that are fetched before any reader asks: parts of the file, and its container's index.
struct Preloading: Sendable {
  /// The parts that are still to be fetched.
  private(set) var wanted: [Part] = []
  /// True if preloading rests, because the store has evicted blocks.
  private(set) var isResting = false
  /// The playing time of the file, if known.
  var duration: Duration?
  /// The bytes of the container's index, cut to `indexLength`. Nil if its place is not known, or if
  /// it is in front.
  private(set) var index: ByteRange?
  private var isIndexAsked = false

  /// The most bytes of an index that are fetched ahead. The rest of a longer index is fetched as
  /// its reader reads on.
  private static let indexLength = 1 << 20

  /// True if the whole file is wanted.
  var isWhole: Bool { wanted.contains(.whole) }

  /// Sets the parts. This ends a rest.
  mutating func set(_ wanted: [Part]) {
    self.wanted = wanted
    isResting = false
  }

  /// Notes that all parts are there.
  mutating func end() {
    wanted = []
  }

  /// Begins a rest, because the store evicts blocks for new ones.
  mutating func pause() {
    isResting = true
  }

  // MARK: The index

  /// Notes that the index of a file of `length` bytes begins at `offset`. Returns false if that is no
  /// news.
  mutating func found(indexAt offset: Int, length: Int) -> Bool {
    guard index == nil, offset < length else { return false }
    index = offset..<min(offset + Self.indexLength, length)
    return true
  }

  /// The index, if it was not asked for yet.
  var unaskedIndex: ByteRange? { isIndexAsked ? nil : index }

  mutating func askedForIndex() {
    isIndexAsked = true
  }

  /// Notes that the fetch with the index has failed.
  mutating func missedIndex() {
    isIndexAsked = false
  }

  /// The place of an index that may contain the playing time; nil if the time is known.
  var placeOfDuration: Int? { duration == nil ? index?.lowerBound : nil }
}
