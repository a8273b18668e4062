/// Finds the facts about one resource that a layout needs, from as few of its bytes as possible.
///
/// The owner calls `step`, fetches the range that the step needs, and gives the bytes to `take`. It
/// repeats this until `step` returns `done`. The result does not depend on how the bytes are
/// divided between calls.
package struct StrandPlan {
  package enum Step: Equatable {
    /// The bytes of this range are needed next.
    case needs(Range<Int>)
    case done(StrandIndex)
  }

  /// A fragment as a playlist lists it.
  package struct Segment: Equatable, Sendable {
    package let bytes: Range<Int>
    /// The duration in nanoseconds.
    package let duration: Int

    package init(bytes: Range<Int>, duration: Int) {
      self.bytes = bytes
      self.duration = duration
    }
  }

  /// How many bytes are requested first. They contain the head and the index of most files.
  package static let head = 64 << 10

  private var known: KnownBytes
  private let segments: [Segment]
  private var walk: MovieWalk?

  /// - Parameters:
  ///   - length: the length of the resource in bytes.
  ///   - segments: the fragments of the resource, if a playlist lists them. They are used if the
  ///     file has no index of its own.
  package init(length: Int, segments: [Segment] = []) {
    known = KnownBytes(length: length)
    self.segments = segments
  }

  /// Receives bytes of the resource that begin at `offset`.
  package mutating func take(_ bytes: ArraySlice<UInt8>, at offset: Int) {
    known.take(bytes, at: offset)
  }

  /// Returns the first bytes of a fragment's range, as many as `SegmentBeginning` hashes; nil if
  /// they have not come yet.
  package func beginning(of range: Range<Int>) -> ArraySlice<UInt8>? {
    var known = known
    return known.read(
      range.lowerBound..<min(range.upperBound, range.lowerBound + SegmentBeginning.maxBytes))
  }

  /// The offset up to which the file was searched for its fragments; nil if an index or a playlist
  /// lists them.
  package var walked: Int? { walk?.place }

  /// Whether it costs less to search on for fragments than to read the whole file.
  package var isCheap: Bool { walk?.isCheap ?? true }

  package mutating func step() throws(StreamError) -> Step {
    guard known.length > 0 else { throw .truncated("file") }
    if let index = try index() { return .done(index) }
    guard let missing = known.missing, !missing.isEmpty else { throw .truncated("file") }
    return .needs(missing)
  }

  private mutating func index() throws(StreamError) -> StrandIndex? {
    guard let first = known.read(0..<min(known.length, 4), ahead: Self.head) else { return nil }
    if first.elementsEqual([0x1A, 0x45, 0xDF, 0xA3]) { return try WebMFile.index(&known) }
    return try MovieFile.index(&known, segments: segments, walk: &walk)
  }
}
