import Blocks
import Filling
import Streams

/// The name of a request for a piece of a resource, unique within one film.
typealias PieceID = Identifier<FilmPiece>

/// One range of a resource on its way, and the bytes of it that have come.
struct FilmPiece {
  /// The one that takes the bytes.
  enum Owner: Hashable {
    case fetch(FetchID)
    case slot(Int)
    /// Another piece, whose bytes may be taken if these are the right ones.
    case proof(of: PieceID)
  }

  /// The progress of the proof that the bytes may be taken.
  enum Admission {
    /// The answer has not come.
    case awaited
    /// The answer brings the bytes of this sample, which are compared first.
    case comparing(ResourceProof.Sample)
    /// The bytes of these samples are asked for, one after the other. `found` has the versions of
    /// the answers so far, whose bytes were right.
    case asking([ResourceProof.Sample], found: Set<Representation>)
    /// This many bytes are hashed and noted before any is taken.
    case noting(Int)
    case admitted
  }

  let resource: Int
  let wanted: ByteRange
  let owner: Owner
  var urgency: Urgency
  /// Bytes that came and were not taken, by their places in the resource.
  var bytes: ByteRun
  var version: Representation?
  /// True if the answer brings the whole resource.
  var isWhole = false
  var hasEnded = false
  /// The reason why no more bytes can be taken.
  var failure: PieceError?
  var admission = Admission.awaited
  /// The number of times that the present sample was asked for.
  var tries = 0
  /// The time at which the present sample is asked for again; nil if no such request is planned.
  var retry: Duration?

  init(_ wanted: ByteRange, of resource: Int, for owner: Owner, _ urgency: Urgency) {
    (self.wanted, self.resource, self.owner, self.urgency) = (wanted, resource, owner, urgency)
    bytes = ByteRun(at: wanted.lowerBound)
  }

  var isAdmitted: Bool { if case .admitted = admission { true } else { false } }
  /// True if all bytes that are wanted came.
  var isAll: Bool { bytes.end >= wanted.upperBound }
  /// True if no more bytes come.
  var isOver: Bool { isAll || hasEnded }

  /// Returns the first `count` bytes, or fewer if no more come; nil if they are still to come.
  func beginning(_ count: Int) -> ArraySlice<UInt8>? {
    let count = min(count, wanted.count)
    guard bytes.count >= count || isOver else { return nil }
    return bytes.bytes(bytes.start..<bytes.start + min(count, bytes.count))
  }
}
