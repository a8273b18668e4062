/// The known peculiarities of a server, for one request to it.
struct Manner: Hashable, Sendable {
  /// A fact about a server that one of its answers has shown.
  enum Lesson: Hashable, Sendable {
    /// The answer brought only this number of bytes, though more were asked for.
    case short(Int)
    /// The answer brought at least `minBytes`.
    case generous
    /// The server sends fewer than `minBytes` for each request.
    case stingy
    /// The server sends the whole representation if the request has an If-Range, and the range if
    /// it has none.
    case failsAtIfRange
    /// The server sends the whole representation for any range.
    case hasNoRanges
    /// Bytes that can be video or audio came with this media type.
    case proved(type: String)
    /// The server compresses documents in another way than the request offered.
    case isOddlyPacked
  }

  /// The limit of bytes for one request; nil if there is no limit.
  var maxBytes: Int?
  /// Whether the last answers of the server brought too few bytes.
  var isStingy = false
  var failsAtIfRange = false
  var hasNoRanges = false
  /// The media type with which bytes came that can be video or audio; nil if it is not known.
  var provedType: String?
  var isOddlyPacked = false

  /// The smallest number of bytes that an answer must bring, even if it brings less than was asked
  /// for. With fewer bytes for each request, a file would need more requests than any server wants.
  static let minBytes = 16 << 10
}
