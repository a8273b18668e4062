/// What a transfer is for: asks a question and takes the answer.
///
/// Lives on the client's thread. A range request and a document are the two kinds.
protocol Exchange: AnyObject {
  var url: String { get }
  var priority: RangeRequest.Priority { get }
  /// Whose host counts as typed; nil: those of all feeds.
  var feed: WebURL? { get }
  /// Fails instead of waiting while the origin is out of reach.
  var isImpatient: Bool { get }
  /// May begin where an earlier answer to the same URL came from.
  var maySkipRedirects: Bool { get }
  /// The whole may take so long; nil: as long as bytes come.
  var longest: Duration? { get }
  /// The content codings that libcurl is to undo; nil: none.
  var codings: String? { get }
  /// The header lines of the question.
  var fields: [String] { get }

  /// Looks at a head that is no redirect; nil: its body is wanted.
  func judge(_ head: ResponseHead, at place: AnswerPlace) -> TransferEnd?
  /// Takes a piece of the body; anything but nil ends the transfer.
  func take(_ bytes: RawSpan) -> TransferEnd?
  /// What it means that the body ended well for libcurl.
  func bodyEnded() -> TransferEnd
  /// The last call.
  func ended(_ end: TransferEnd)
}

/// Where an answer came from.
struct AnswerPlace {
  let url: WebURL
  /// Every redirect on the way said that it is for ever.
  let isPermanent: Bool
}
