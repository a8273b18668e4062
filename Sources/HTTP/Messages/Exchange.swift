import Addresses

/// A request and the handling of its answer. A `Transfer` sends the request.
///
/// Used only on the client's thread. There are two kinds: range requests and document requests.
protocol Exchange: AnyObject {
  var url: String { get }
  var priority: RangeRequest.Priority { get }
  /// The typed URL of the feed to which the request belongs. Only its host counts as typed by the
  /// user. If it is nil, the hosts of all typed URLs count.
  var feed: TypedAddress? { get }
  /// True when the transfer fails instead of waiting while the origin is unreachable.
  var failsFast: Bool { get }
  /// True when the server must not get the request twice, even if no answer comes or the answer
  /// turns it away. Only libcurl itself repeats the request, if a reused connection is closed
  /// before an answer.
  var asksOnce: Bool { get }
  /// True when the transfer is allowed to begin at the remembered target of a redirect.
  var maySkipRedirects: Bool { get }
  /// The longest time for the whole transfer; nil if there is no limit while bytes come.
  var timeLimit: Duration? { get }
  /// Further header fields, which are sent only to the origin of `url`. They can contain secrets.
  var headers: [HeaderField] { get }
  /// The cookies that the request shares with other requests; nil if it shares none.
  var cookies: CookieJar? { get }
  /// The bytes of the body that have not come yet; nil if the number is not known.
  var bytesMissing: Int? { get }

  /// Returns the content of the next request, given the known manner of the server.
  func question(for manner: Manner) -> Question
  /// Judges the head of the answer to `question`. The head is no redirect. Returns the end of the
  /// transfer; nil if the body has to be read.
  func judge(_ head: ResponseHead, to question: Question, at place: AnswerPlace) -> TransferEnd?
  /// Takes a piece of the body. Returns the end of the transfer; nil if the transfer continues.
  func take(_ bytes: RawSpan) -> TransferEnd?
  /// Notes that all pieces that have arrived until now were passed on.
  func rest()
  /// Returns the end of a transfer after libcurl has read the body without an error.
  func bodyEnded() -> TransferEnd
  /// Returns whether the transfer sends a new question to the URL instead of ending with `end`.
  /// Called once for each end.
  func asksAgain(after end: TransferEnd) -> Bool
  /// True once an answer was accepted and passed on. If a later request then gets no answer, the
  /// transfer counts as broken off.
  var hasBegun: Bool { get }
  /// Returns the facts about the server that answers have shown since the last call.
  func takeLessons() -> [Manner.Lesson]
  /// Takes the end of the transfer. No other method is called after it.
  func ended(_ end: TransferEnd)
}

extension Exchange {
  var asksOnce: Bool { false }

  func rest() {}
}

/// The content of one request to a server.
///
/// A second ask, a racer and a walker (`Transfer.Role`) repeat the request of another transfer
/// later, when more can be known about the server. So each transfer has its own question.
struct Question {
  /// The manner of the server, as it was known when the request was made.
  let manner: Manner
  /// The header lines of the request.
  let fields: [String]
  /// The content codings that libcurl offers in Accept-Encoding and unpacks by itself; nil: none.
  var codings: String?
  /// The range request from which the header lines were made; nil for a document.
  var range: RangeRequest?
}

/// The URL that an answer came from, and the kind of redirects that led to it.
struct AnswerPlace {
  let url: WebAddress
  /// True when there were redirects and each was permanent.
  let isPermanent: Bool
}
