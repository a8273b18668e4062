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
  /// True if the present answer is dropped, and the document is asked for once more in another way:
  /// plain, or unpacked by libcurl.
  private var isAskedAnew = false
  /// True if the document is asked for without compression, because libcurl would fail at a word in
  /// Content-Encoding.
  private var isAskedPlain = false
  /// Whether libcurl unpacks the present answer.
  private var isLeftToCurl = false
  /// Whether the head says that the body is packed with gzip or deflate.
  private var isCalledPacked = false

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
  var timeLimit: Duration? { .seconds(120) }
  var headers: [HeaderField] { request.headers }
  var cookies: CookieJar? { request.cookies }
  var bytesMissing: Int? { nil }
  /// Always false, because a document that breaks off fails as a whole.
  var hasBegun: Bool { false }

  /// Returns a question that lets libcurl unpack the body only if `Inflater` cannot. libcurl fails
  /// if a body is not packed as its head says, or if the coding is unknown. It does not notice when
  /// a packed body ends too early.
  func question(for manner: Manner) -> Question {
    var manner = manner
    manner.isOddlyPacked = manner.isOddlyPacked || self.manner.isOddlyPacked
    guard !isAskedPlain else {
      return Question(manner: manner, fields: request.fields + ["Accept-Encoding: identity"])
    }
    return manner.isOddlyPacked || !Inflater.isAvailable
      ? Question(manner: manner, fields: request.fields, codings: "gzip, deflate")
      : Question(manner: manner, fields: request.fields + ["Accept-Encoding: gzip, deflate"])
  }

  func takeLessons() -> [Manner.Lesson] {
    defer { lessons = [] }
    return lessons
  }

  func asksAgain(after end: TransferEnd) -> Bool { isAskedAnew }

  func judge(
    _ head: ResponseHead, to question: Question, at place: AnswerPlace
  ) -> TransferEnd? {
    (manner, isLeftToCurl) = (question.manner, question.codings != nil)
    (isAskedAnew, isCalledPacked) = (false, false)
    switch head.status {
    case 200, 203, 206:
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

  /// Returns the end if the body of an answer cannot be taken as the whole document; nil if it can.
  private func refusal(of head: ResponseHead) -> TransferEnd? {
    if let fault = Self.part(head) { return fault }
    let hasWordsThatAreNone = ContentCoding.hasWordsThatAreNone(head)
    if isLeftToCurl {
      guard hasWordsThatAreNone else { return nil }
      (isAskedPlain, isAskedAnew) = (true, true)
      return .cancelled
    }
    guard let coding = ContentCoding.real(in: head) else { return nil }
    isCalledPacked = ContentCoding.isDeflated(head)
    guard !isCalledPacked else { return nil }
    guard !hasWordsThatAreNone, !isAskedPlain else {
      return .refused(.contentCoding(coding.tamed))
    }
    manner.isOddlyPacked = true
    lessons.append(.isOddlyPacked)
    isAskedAnew = true
    return .cancelled
  }

  /// Returns the refusal of an answer that has only a part of the document; nil if it has the
  /// whole. Such an answer is wrong, because no document request asks for a part.
  private static func part(_ head: ResponseHead) -> TransferEnd? {
    guard head.status == 206 || ResponseCheck.hasPart(head) else { return nil }
    guard let value = head.values("content-range").first else {
      return .refused(.unexpectedStatus(head.status))
    }
    switch head.contentRange {
    case .bytes(let bytes, let length)? where bytes == 0..<length: return nil
    case .unsatisfied? where head.status == 200: return nil
    case .bytes?, .open?, .unsatisfied?, nil:
      let words = "it has a part of the document (\(value.tamed)), but feedfs asked for the whole"
      return .refused(.contentRange(words))
    }
  }

  func take(_ bytes: RawSpan) -> TransferEnd? {
    guard let count = document?.bytes.count else { return .refused(.tooManyBytes) }
    let room = request.limit - count
    guard bytes.byteCount <= room else {
      guard request.takesBeginning else { return .refused(.longerThan(request.limit)) }
      bytes.extracting(0..<room).withUnsafeBytes { document?.bytes.append(contentsOf: $0) }
      // Packed bytes nearly always unpack to more bytes. So `limit` packed bytes are enough for
      // `limit` plain bytes.
      return bodyEnded()
    }
    bytes.withUnsafeBytes { document?.bytes.append(contentsOf: $0) }
    return nil
  }

  func bodyEnded() -> TransferEnd {
    guard !isLeftToCurl, let bytes = document?.bytes, !bytes.isEmpty else {
      return .complete
    }
    // A head can leave out that the body is packed, or claim it for a plain body. So the bytes
    // decide.
    let isGzip = Inflater.isGzip(bytes)
    guard isGzip || isCalledPacked else { return .complete }
    do throws(Inflater.Failure) {
      document?.bytes =
        request.takesBeginning
        ? try Inflater.beginning(bytes, limit: request.limit)
        : try Inflater.plain(bytes, limit: request.limit)
      return .complete
    } catch {
      if error == .tooLong { return .refused(.longerThan(request.limit)) }
      return !isGzip && BodyKind.isText(bytes.prefix(BodyKind.head))
        ? .complete : .broken(reason: "its compressed body is incomplete")
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
