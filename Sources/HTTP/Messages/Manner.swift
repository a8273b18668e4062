/// The known peculiarities of a server, for one request to it.
struct Manner: Hashable, Sendable {
  /// A fact about a server that one of its answers has shown.
  enum Lesson: Hashable, Sendable {
    /// The answer brought this number of bytes, which is fewer than were asked for.
    case short(Int)
    /// The answer brought enough bytes to be worth a request.
    case generous
    /// The server sends too few bytes for each request.
    case stingy
    /// The server sends the whole if there is an If-Range, and a range if there is none.
    case failsAtIfRange
    /// The server sends the whole for any range.
    case hasNoRanges
    /// The first bytes of a film came with this media type.
    case proved(type: String)
    /// The server packs documents in another way than it was asked to.
    case isOddlyPacked
  }

  /// The limit of bytes for one request; nil if there is no limit.
  var maxBytes: Int?
  /// Whether the last answers of the server brought too few bytes.
  var isStingy = false
  var failsAtIfRange = false
  var hasNoRanges = false
  /// The media type with which the first bytes of the film came; nil if that is not known.
  var provedType: String?
  var isOddlyPacked = false

  /// The number of bytes that an answer must bring, even if it is cut short. With fewer, a film
  /// would need more requests than any server wants.
  static let minBytes = 16 << 10
}
