import Blocks
import Filling
import Streams

/// The name of a request for a range of a resource. It is unique within one `Film`.
typealias PieceID = Identifier<FilmPiece>

/// A request for one range of a resource, and the bytes that have come so far.
struct FilmPiece {
  /// The receiver of the bytes.
  enum Owner: Hashable {
    case fetch(FetchID)
    case slot(Int)
    /// Another piece. Its bytes are only used if this piece brings the expected bytes.
    case proof(of: PieceID)
  }

  /// How far it is proved that the bytes are of the version that the layout was made from. Until
  /// then, none of them is used.
  enum Admission {
    /// The answer has not begun.
    case awaited
    /// The answer itself contains this sample: a range with a known hash. The sample is compared
    /// before any byte is used.
    case comparing(ResourceProof.Sample)
    /// These samples are requested and compared, one after the other. `found` has the versions of
    /// the samples that were right so far.
    case asking([ResourceProof.Sample], found: Set<Representation>)
    /// This many bytes are awaited. Their hash is noted for later proofs, before any byte is used.
    case noting(Int)
    case admitted
  }

  let resource: Int
  let wanted: ByteRange
  let owner: Owner
  var urgency: Urgency
  /// The bytes that came and were not used yet, at their offsets in the resource.
  var bytes: ByteRun
  var version: Representation?
  /// True if the answer brings the whole resource.
  var isWhole = false
  var hasEnded = false
  /// The reason why no more bytes come, or why they cannot be used; nil if there is none.
  var failure: PieceError?
  var admission = Admission.awaited
  /// The number of requests so far for the first sample of `.asking`.
  var tries = 0
  /// The time at which the first sample of `.asking` is requested again; nil if no such request is
  /// planned.
  var retry: Duration?

  init(_ wanted: ByteRange, of resource: Int, for owner: Owner, _ urgency: Urgency) {
    (self.wanted, self.resource, self.owner, self.urgency) = (wanted, resource, owner, urgency)
    bytes = ByteRun(at: wanted.lowerBound)
  }

  var isAdmitted: Bool { if case .admitted = admission { true } else { false } }
  /// True if all wanted bytes have come.
  var isAll: Bool { bytes.end >= wanted.upperBound }
  /// True if no more bytes come.
  var isOver: Bool { isAll || hasEnded }

  /// Returns the first `count` bytes, or fewer if no more come; nil if some of them are still to
  /// come.
  func beginning(_ count: Int) -> ArraySlice<UInt8>? {
    let count = min(count, wanted.count)
    guard bytes.count >= count || isOver else { return nil }
    return bytes.bytes(bytes.start..<bytes.start + min(count, bytes.count))
  }
}
