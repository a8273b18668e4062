import Addresses

/// The purpose of a transfer: asks a question and takes the answer.
///
/// Lives on the client's thread. There are two kinds: range requests and documents.
protocol Exchange: AnyObject {
  var url: String { get }
  var priority: RangeRequest.Priority { get }
  /// The feed whose host counts as typed; nil: those of all feeds.
  var feed: TypedAddress? { get }
  /// True when the transfer fails instead of waiting while the origin is unreachable.
  var failsFast: Bool { get }
  /// True when the transfer may begin at the URL from which an earlier answer came.
  var maySkipRedirects: Bool { get }
  /// The longest time for the whole transfer; nil: no limit while bytes come.
  var longest: Duration? { get }
  /// The content codings that libcurl should undo; nil: none.
  var codings: String? { get }
  /// The header lines of the request.
  var fields: [String] { get }

  /// Judges a head that is no redirect; nil asks for its body.
  func judge(_ head: ResponseHead, at place: AnswerPlace) -> TransferEnd?
  /// Takes a piece of the body; anything but nil ends the transfer.
  func take(_ bytes: RawSpan) -> TransferEnd?
  /// Returns the end of a transfer whose body ended well for libcurl.
  func bodyEnded() -> TransferEnd
  /// Takes the end of the transfer. This is the last call.
  func ended(_ end: TransferEnd)
}

/// The place that an answer came from.
struct AnswerPlace {
  let url: WebAddress
  /// True when there were redirects and each was permanent.
  let isPermanent: Bool
}
