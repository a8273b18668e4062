import Addresses
import Glibc

/// A document request, and the caller that waits for the answer.
final class DocumentExchange: Exchange {
  typealias Reply = CheckedContinuation<Result<Document, HTTPError>, Never>

  private let request: DocumentRequest
  private let reply: Reply
  private var document: Document?
  private var manner = Manner()
  private var lessons: [Manner.Lesson] = []
  /// True if the document is asked for once more, without any coding.
  private var isAskedAnew = false
  /// True if the body is packed, and libcurl was not asked to unpack it.
  private var isPacked = false

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
  /// libcurl gives a body up whose coding it does not know. It undoes none if it was not asked to.
  var codings: String? { manner.namesNoCoding ? nil : "gzip, deflate" }
  var fields: [String] {
    manner.namesNoCoding ? request.fields + ["Accept-Encoding: identity"] : request.fields
  }
  var headers: [HeaderField] { request.headers }
  var cookies: CookieJar? { request.cookies }
  var bytesMissing: Int? { nil }
  /// A document that breaks off is an error in any case.
  var hasBegun: Bool { false }

  func prepare(_ manner: Manner) {
    let namesNoCoding = self.manner.namesNoCoding || manner.namesNoCoding
    self.manner = manner
    self.manner.namesNoCoding = namesNoCoding
    (isAskedAnew, isPacked) = (false, false)
  }

  func takeLessons() -> [Manner.Lesson] {
    defer { lessons = [] }
    return lessons
  }

  func asksAgain(after end: TransferEnd) -> Bool { isAskedAnew }

  func judge(_ head: ResponseHead, at place: AnswerPlace) -> TransferEnd? {
    switch head.status {
    case 200, 206:
      if let end = refusal(of: head) { return end }
      document = Document(head, at: place)
      return nil
    case 304 where request.isConditional:
      document = Document(head, at: place)
      return .complete
    default:
      return ResponseCheck.failure(of: head, now: time(nil))
    }
  }

  /// Returns the end if the body of an answer is not taken as a whole document.
  private func refusal(of head: ResponseHead) -> TransferEnd? {
    if let fault = Self.part(head) { return fault }
    if manner.namesNoCoding {
      guard let coding = ContentCoding.real(in: head) else { return nil }
      isPacked = ContentCoding.isDeflated(head)
      return isPacked ? nil : .refused(.contentCoding(coding.tamed))
    }
    guard ContentCoding.hasWordsThatAreNone(head) else { return nil }
    manner.namesNoCoding = true
    lessons.append(.namesNoCoding)
    isAskedAnew = true
    return .cancelled
  }

  /// Returns the end if an answer says itself that it has a part of a document. Nobody asked for one.
  private static func part(_ head: ResponseHead) -> TransferEnd? {
    guard head.status == 206 || ResponseCheck.hasPart(head) else { return nil }
    guard let value = head.values("content-range").first else {
      return .refused(.unexpectedStatus(head.status))
    }
    switch ContentRange(parsing: head.single("content-range") ?? "") {
    case .bytes(let bytes, let length)? where bytes == 0..<length: return nil
    case .unsatisfied? where head.status == 200: return nil
    case .bytes?, .open?, .unsatisfied?, nil:
      let words = "it has a part of the document (\(value.tamed)), and the whole was asked for"
      return .refused(.contentRange(words))
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

  func bodyEnded() -> TransferEnd {
    guard isPacked, let bytes = document?.bytes else { return .complete }
    do throws(Inflater.Failure) {
      document?.bytes = try Inflater.plain(bytes, limit: request.limit)
      return .complete
    } catch {
      return .refused(error == .tooLong ? .longerThan(request.limit) : .contentCoding("gzip"))
    }
  }

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
    case .unanswered(let silence): return .failure(.unanswered(url: url, silence))
    case .broken(let reason): return .failure(.broken(url: url, reason: reason))
    case .blocked(let reason): return .failure(.blocked(url: url, reason: reason))
    case .cancelled: return .failure(.cancelled)
    case .notModified, .changed, .doubted, .unsatisfiable:
      return .failure(.refused(url: url, .notHTTP))  // only range requests end so
    }
  }
}
