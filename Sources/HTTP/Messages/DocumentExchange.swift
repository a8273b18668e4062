import Addresses
import Glibc

/// A document request, and the caller that waits for the answer.
final class DocumentExchange: Exchange {
  typealias Reply = CheckedContinuation<Result<Document, HTTPError>, Never>

  private let request: DocumentRequest
  private let reply: Reply
  private var document: Document?

  init(_ request: DocumentRequest, _ reply: Reply) {
    self.request = request
    self.reply = reply
  }

  var url: String { request.url }
  var priority: RangeRequest.Priority { .demand }
  var feed: TypedAddress? { request.feed }
  var failsFast: Bool { true }
  var maySkipRedirects: Bool { false }
  /// The longest time for a document. It is short because documents are small, and the caller
  /// waits.
  var longest: Duration? { .seconds(120) }
  var codings: String? { "gzip, deflate" }
  var fields: [String] { request.fields }
  var headers: [HeaderField] { request.headers }
  var cookies: CookieJar? { request.cookies }
  var bytesMissing: Int? { nil }

  func judge(_ head: ResponseHead, at place: AnswerPlace) -> TransferEnd? {
    switch head.status {
    case 200:
      document = Document(head, at: place)
      return nil
    case 304 where request.isConditional:
      document = Document(head, at: place)
      return .complete
    default:
      return ResponseCheck.failure(of: head, now: time(nil))
    }
  }

  func take(_ bytes: RawSpan) -> TransferEnd? {
    guard let count = document?.bytes.count else { return .refused(.tooManyBytes) }
    let room = request.limit - count
    guard bytes.byteCount <= room else {
      guard request.takesBeginning else { return .refused(.longerThan(request.limit)) }
      bytes.extracting(0..<room).withUnsafeBytes { document?.bytes.append(contentsOf: $0) }
      return .complete
    }
    bytes.withUnsafeBytes { document?.bytes.append(contentsOf: $0) }
    return nil
  }

  func bodyEnded() -> TransferEnd { .complete }

  func ended(_ end: TransferEnd) {
    reply.resume(returning: result(end))
  }

  private func result(_ end: TransferEnd) -> Result<Document, HTTPError> {
    let url = WebAddress.shown(request.url)
    switch end {
    case .complete:
      return document.map { .success($0) } ?? .failure(.broken(url: url, reason: "no answer came"))
    case .busy(_, let wait): return .failure(.busy(url: url, retryAfter: wait))
    case .gone(let status, let wants): return .failure(.status(url: url, status, wants: wants))
    case .serverError(let status):
      return .failure(.status(url: url, status))
    case .refused(.unexpectedStatus(let status)): return .failure(.status(url: url, status))
    case .refused(let fault): return .failure(.refused(url: url, fault))
    case .unanswered(let reason): return .failure(.unanswered(url: url, reason: reason))
    case .broken(let reason): return .failure(.broken(url: url, reason: reason))
    case .blocked(let reason): return .failure(.blocked(url: url, reason: reason))
    case .cancelled: return .failure(.cancelled)
    case .notModified, .changed, .doubted, .unsatisfiable:
      return .failure(.refused(url: url, .notHTTP))  // only range requests end so
    }
  }
}
