import Addresses

/// A request and the handling of its answer. A transfer carries it out.
///
/// Used on the client's thread. There are two kinds: range requests and document requests.
protocol Exchange: AnyObject {
  var url: String { get }
  var priority: RangeRequest.Priority { get }
  /// The feed whose host counts as typed; nil if the hosts of all feeds count.
  var feed: TypedAddress? { get }
  /// True when the transfer fails instead of waiting while the origin is unreachable.
  var failsFast: Bool { get }
  /// True when the server must not get the request twice, even if no answer comes or the answer
  /// turns it away. libcurl alone repeats it, if a reused connection is closed before an answer.
  var asksOnce: Bool { get }
  /// True when the transfer may begin at the remembered target of a redirect.
  var maySkipRedirects: Bool { get }
  /// The longest time for the whole transfer; nil if there is no limit while bytes come.
  var timeLimit: Duration? { get }
  /// Further fields, for the origin of `url` alone. They may hold secrets.
  var headers: [HeaderField] { get }
  /// The cookies that the request shares with others; nil if it has its own.
  var cookies: CookieJar? { get }
  /// The bytes of the body that have not come yet; nil if the number is not known.
  var bytesMissing: Int? { get }

  /// Returns the words of the next request, to a server of this manner.
  func question(for manner: Manner) -> Question
  /// Judges a head that is no redirect, and answers `question`. Returns the end of the transfer; nil if
  /// the body should come.
  func judge(_ head: ResponseHead, to question: Question, at place: AnswerPlace) -> TransferEnd?
  /// Takes a piece of the body. Returns the end of the transfer; nil if it goes on.
  func take(_ bytes: RawSpan) -> TransferEnd?
  /// Notes that no more pieces come at this moment.
  func rest()
  /// Returns the end of a transfer after libcurl has read the body without an error.
  func bodyEnded() -> TransferEnd
  /// Whether the URL is asked once more instead of ending with `end`, with the fields that the
  /// exchange has from then on. Called once for each end.
  func asksAgain(after end: TransferEnd) -> Bool
  /// True once bytes of an answer were taken. A later request that gets no answer then ends as an
  /// answer that broke off.
  var hasBegun: Bool { get }
  /// Returns the facts about the server that answers have shown since the last call.
  func takeLessons() -> [Manner.Lesson]
  /// Takes the end of the transfer. This is the last call.
  func ended(_ end: TransferEnd)
}

extension Exchange {
  var asksOnce: Bool { false }

  func rest() {}
}

/// The words of one request.
///
/// A second ask, a racer and a walker send the request of another transfer, perhaps one that began
/// when less was known of the server. So each has its own question.
struct Question {
  /// The facts known of the server when it was asked.
  let manner: Manner
  /// The header lines of the request.
  let fields: [String]
  /// The content codings that libcurl should undo; nil: none.
  var codings: String?
  /// The range request in these words; nil for a document.
  var range: RangeRequest?
}

/// The place that an answer came from.
struct AnswerPlace {
  let url: WebAddress
  /// True when there were redirects and each was permanent.
  let isPermanent: Bool
}
