/// The known peculiarities of a server, for one request to it.
struct Manner: Hashable, Sendable {
  /// An observation in an answer.
  enum Lesson: Hashable, Sendable {
    /// It brought this many bytes, and fewer than were asked for.
    case short(Int)
    /// It brought enough bytes to be worth a request.
    case generous
    /// It brings too few bytes for each request.
    case stingy
    /// It sends the whole if there is an If-Range, and a range if there is none.
    case failsAtIfRange
    /// It sends the whole for any range.
    case hasNoRanges
    /// The first bytes of a film came with this media type.
    case proved(type: String)
    /// It packs documents in another way than it was asked for.
    case isOddlyPacked
  }

  /// The most bytes to ask for at once; nil: any number.
  var maxBytes: Int?
  /// Whether its last answers brought too few bytes.
  var isStingy = false
  var failsAtIfRange = false
  var hasNoRanges = false
  /// The media type with which the first bytes of the film came; nil if that is not known.
  var provedType: String?
  var isOddlyPacked = false

  /// The fewest bytes of an answer that is cut short. With fewer, a film would need more requests
  /// than any server wants.
  static let minBytes = 16 << 10
}
