import Blocks
import Filling
import Streams

/// Learns a strand that is one file, with all fragments in it.
extension StrandMaker {
  /// Learns the strand from the index of its file. If the file has no index, the result depends on
  /// `walks`: with true, the strand is learned from fragment to fragment; with false, the result is
  /// nil.
  func file(_ track: TrackSource, walks: Bool) async throws -> Learned? {
    guard let address = track.segments.first?.part.address ?? track.addresses.indices.first else {
      throw StreamError.malformed("a track without an address")
    }
    let place = place(address, track)
    counter.planned(1)
    let first = try await pieces.read(place, 0..<StrandPlan.head)
    counter.answered()
    let version = first.representation
    var segments: [StrandPlan.Segment] = []
    for segment in track.segments where !track.hasNominalDurations {
      guard let bytes = segment.part.bytes else { continue }
      segments.append(.init(bytes: bytes, duration: segment.duration.nanoseconds))
    }
    var plan = StrandPlan(length: version.length, segments: segments)
    plan.take(first.bytes[...], at: 0)
    var rest = FileRest(pieces: pieces, place: place, first: first)
    while true {
      switch try plan.step() {
      case .done(let index):
        var wanted = try wanted(index, track)
        try await hash(&wanted, plan, &rest)
        return Learned(
          .ready(wanted), track, seen: [wanted.fragments.first?.resource ?? 0: version])
      case .needs where plan.walked != nil && !walks: return nil
      case .needs where !plan.isCheap:
        throw StreamError.unsupported(
          "the file has no index, and too many short fragments to look for each of them")
      case .needs(let range):
        counter.planned(1)
        let next = try await rest.read(range)
        counter.answered()
        guard !next.isEmpty else { throw StreamError.truncated("file") }
        plan.take(next[...], at: range.lowerBound)
      }
    }
  }

  /// Hashes the beginning of the first fragment, to recognize the version later. The first bytes of
  /// the file are not enough, because another version can have the same ones.
  private func hash(
    _ index: inout StrandIndex, _ plan: StrandPlan, _ rest: inout FileRest
  ) async throws {
    guard let first = index.fragments.first, !first.bytes.isEmpty else { return }
    if let known = plan.beginning(of: first.bytes) {
      index.fragments[0].beginning = try SegmentBeginning(of: known)
      return
    }
    let range =
      first.bytes
      .lowerBound..<min(
        first.bytes.upperBound, first.bytes.lowerBound + SegmentBeginning.maxBytes)
    counter.planned(1)
    let bytes = try await rest.read(range)
    counter.answered()
    guard bytes.count == range.count else { throw StreamError.truncated("file") }
    index.fragments[0].beginning = try SegmentBeginning(of: bytes[...])
  }
}

/// Reads further bytes of a file whose first bytes are known.
///
/// An answer can come from another server, and so with another tag. Then the last known bytes are
/// fetched again and compared, to make sure that the version is the same.
private struct FileRest {
  private let pieces: PieceClient
  private let place: PiecePlace
  private let length: Int
  private let range: ByteRange
  private let known: SegmentBeginning?
  /// The versions whose bytes are known to be those of the file.
  private var versions: Set<Representation>

  init(pieces: PieceClient, place: PiecePlace, first: PieceClient.Answer) {
    (self.pieces, self.place) = (pieces, place)
    length = first.representation.length
    versions = [first.representation]
    let last = first.bytes.suffix(SegmentBeginning.maxBytes)
    known = try? SegmentBeginning(of: last)
    range = first.bytes.count - last.count..<first.bytes.count
  }

  /// Returns the bytes of `range`, or fewer if the file ends within it.
  ///
  /// - Throws: an error with the end `changed` if the bytes are of another version.
  mutating func read(_ range: ByteRange) async throws(PieceError) -> [UInt8] {
    let answer = try await pieces.read(place, range)
    guard !versions.contains(answer.representation) else { return answer.bytes }
    let again = try await pieces.read(place, self.range)
    guard answer.representation.length == length, again.representation.length == length,
      known?.begins(again.bytes[...]) ?? true
    else { throw PieceError(.changed, "the stream has changed at its origin") }
    versions.insert(again.representation)
    return answer.bytes
  }
}
