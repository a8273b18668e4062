import Addresses
import Blocks

/// A range request and the sink of its bytes.
///
/// `RangeCourse` decides what is asked. The first bytes of a body decide whether it can be video or
/// audio. The sink sees one answer, even if several requests are needed for it.
final class RangeExchange: Exchange {
  /// The head of an answer that passed the check.
  private enum Head {
    case answer(AcceptedAnswer)
    case growing(GrowingBody, AnswerFacts)
    /// Only the first bytes were asked for, because the media type is not that of video or audio.
    case beginning
    /// The request ends in this way, unless the first bytes show that the answer is a page.
    case doubtful(TransferEnd)
  }

  private let request: RangeRequest
  private let sink: any RangeSink
  private var course: RangeCourse
  /// The announced bytes of the present answer that have not arrived yet.
  private var arriving: ByteRange = 0..<0
  /// The wanted bytes that have not arrived yet. One answer can bring more bytes than these, or fewer.
  private var missing: ByteRange = 0..<0
  /// False if the length of the answer is not known. Then `missing` reaches to `Int.max`.
  private var hasEnd = true
  /// An answer whose first bytes are not judged yet: its head, its media type, and the bytes so far; nil if
  /// there is none. The sink gets the answer only after the bytes have shown that it can be video or audio.
  private var unproved: (head: Head, type: String, beginning: [UInt8])? {
    didSet { isPlain = unproved == nil && playlist == nil }
  }
  /// An HLS playlist that came in place of video or audio, and the fault that will end the request.
  private var playlist: (fault: ResponseFault, bytes: [UInt8])? {
    didSet { isPlain = unproved == nil && playlist == nil }
  }
  /// True if the bytes go to the sink as they come. The flag saves a check of `unproved` and `playlist`
  /// for each piece.
  private var isPlain = true
  private var step = RangeCourse.Step.none
  private(set) var hasBegun = false

  init(_ request: RangeRequest, _ sink: any RangeSink) {
    self.request = request
    self.sink = sink
    course = RangeCourse(request)
  }

  var url: String { request.url }
  var priority: RangeRequest.Priority { request.priority }
  var feed: TypedAddress? { request.feed }
  var failsFast: Bool { request.failsFast }
  var asksOnce: Bool { request.asksOnce }
  /// A freshness check never skips redirects, because it has to see where the URL leads now.
  var maySkipRedirects: Bool { !request.isCheck }
  var timeLimit: Duration? { nil }
  var headers: [HeaderField] { request.headers }
  var cookies: CookieJar? { request.cookies }
  var bytesMissing: Int? { hasEnd ? missing.count : nil }

  func question(for manner: Manner) -> Question {
    let range = course.question(for: manner)
    return Question(manner: manner, fields: range.fields, range: range)
  }

  func takeLessons() -> [Manner.Lesson] { course.takeLessons() }

  func asksAgain(after end: TransferEnd) -> Bool {
    defer { step = .none }
    return step != .none
  }

  // MARK: Answers

  func judge(
    _ head: ResponseHead, to question: Question, at place: AnswerPlace
  ) -> TransferEnd? {
    course.answered(question.range ?? request, by: question.manner)
    (arriving, hasEnd, unproved, playlist, step) = (0..<0, true, nil, nil, .none)
    let type = head.mediaType ?? ""
    switch course.verdict(of: head) {
    case .end(let end): return judge(end, of: head, type)
    case .grow(let body):
      guard !hasBegun, !course.isAtBeginning else { return Self.itBeganAnew }
      let fault = request.media ? BodyKind.refusal(of: type) : nil
      if let fault, body.start > 0, course.manner.provedType != type { return .refused(fault) }
      missing = body.start..<(body.length ?? .max)
      (arriving, hasEnd) = (missing, body.length != nil)
      // The answer can have only a part of the rest. The missing bytes are then asked for again.
      if request.continued != nil, head.status == 206, case .bytes(let part, _)? = head.contentRange
      {
        arriving = part
      }
      let facts = AnswerFacts(
        contentType: fault == nil ? head.single("content-type") : nil,
        freshFor: Freshness.remaining(of: head),
        finalURL: place.url.text)
      let head = Head.growing(body, facts)
      return begin(head, type, isHeld: request.continued == nil || fault != nil)
    case .take(_, _, isWhole: true) where request.asksOnce:
      return .refused(
        .contentRange("it is the whole file, but feedfs asked for \(request.range.field)"))
    case .take(let found, let bytes, let isWhole):
      if isWhole, !course.isAtBeginning {
        guard !hasBegun else { return Self.itBeganAnew }
        step = course.next(afterWhole: found)
        guard step == .none else { return .cancelled }
      }
      return take(found, bytes, isWhole: isWhole, type, of: head, at: place)
    }
  }

  private static let anotherTag = TransferEnd.broken(
    reason: "the rest of the answer came with another ETag, so the file may have changed")

  /// The end of the exchange if an answer has the whole although only the rest was asked for. The
  /// caller's next request can take the whole from byte 0 on.
  private static let itBeganAnew = TransferEnd.broken(
    reason: "the server sent the whole file again, but feedfs asked only for the rest")

  private func take(
    _ found: Representation, _ bytes: ByteRange, isWhole: Bool, _ type: String,
    of head: ResponseHead, at place: AnswerPlace
  ) -> TransferEnd? {
    arriving = bytes
    let isShort = bytes.lowerBound > 0 || bytes.count < min(BodyKind.head, found.length)
    if course.isAtBeginning {
      guard !isShort else { return .refused(.notMedia(contentType: type.tamed)) }
      unproved = (.beginning, type, [])
      return nil
    }
    if head.status == 206 || ResponseCheck.hasPart(head) {
      step = course.next(afterTotal: found.length)
      guard step == .none else { return .cancelled }
    }
    let fault = request.media ? BodyKind.refusal(of: type, isSegment: request.isSegment) : nil
    var isDoubtful = false
    if let fault {
      if isShort {
        guard let next = course.next(afterType: type) else { return .refused(fault) }
        step = next
        guard step == .none else { return .cancelled }
      } else {
        isDoubtful = course.manner.provedType != type
      }
    }
    let wanted = isWhole ? bytes : course.range.bytes(of: found.length) ?? bytes
    if !isWhole, let fault = course.accept(bytes, of: found, wanted: wanted) {
      return .refused(fault)
    }
    missing = wanted
    guard !hasBegun else { return nil }
    // If `fault` is set, the first bytes refute the media type. So the type is not passed on.
    var answer = AcceptedAnswer(
      representation: found, bytes: wanted, isWhole: isWhole,
      contentType: fault == nil ? head.single("content-type") : nil,
      freshFor: Freshness.remaining(of: head), finalURL: place.url.text)
    (answer.tag, answer.date) = (head.strongTag, StatedDate(head))
    let isFirst = request.expected == nil && request.media && bytes.lowerBound == 0
    return begin(.answer(answer), type, isHeld: isFirst || isDoubtful)
  }

  func take(_ bytes: RawSpan) -> TransferEnd? {
    if !isPlain, playlist != nil { return takePlaylist(bytes) }
    guard bytes.byteCount <= arriving.count else { return .refused(.tooManyBytes) }
    let offset = arriving.lowerBound
    arriving = offset + bytes.byteCount..<arriving.upperBound
    guard !isPlain else { return deliver(bytes, at: offset) }
    bytes.withUnsafeBytes { unproved?.beginning.append(contentsOf: $0) }
    return (unproved?.beginning.count ?? 0) < BodyKind.head ? nil : prove()
  }

  /// Gives the wanted ones of `bytes` to the sink. Returns the end if all wanted bytes have come and
  /// the answer has more; nil if the transfer goes on.
  private func deliver(_ bytes: RawSpan, at offset: Int) -> TransferEnd? {
    let all = offset..<offset + bytes.byteCount
    let part = all.clamped(to: missing)
    if !part.isEmpty {
      missing = part.upperBound..<missing.upperBound
      sink.received(
        bytes.extracting(part.lowerBound - offset..<part.upperBound - offset), at: part.lowerBound)
    }
    return missing.isEmpty && !arriving.isEmpty ? .complete : nil
  }

  func rest() { sink.rested() }

  func bodyEnded() -> TransferEnd {
    // A body that is shorter than `BodyKind.head` was not judged until now.
    if playlist == nil, let end = prove() { return end }
    if let end = playlistEnded() { return end }
    guard arriving.isEmpty || !hasEnd else {
      return .broken(reason: "the answer ended \(arriving.count) bytes too early")
    }
    guard hasEnd, !missing.isEmpty else { return .complete }
    step = course.next(missing: missing)
    return step == .none
      ? .broken(reason: "the answer ended \(missing.count) bytes before its announced end")
      : .complete
  }

  func ended(_ end: TransferEnd) {
    if case .broken = end, !course.isAtBeginning {
      if let fault = prove() { return sink.ended(fault) }
      if let fault = playlistEnded() { return sink.ended(fault) }
    }
    sink.ended(end)
  }

  // MARK: The first bytes

  /// Gives a head to the sink at once, or after the first bytes of the body were judged.
  ///
  /// - Parameter isHeld: true if the first bytes must show beforehand that the body can be video or
  ///   audio.
  private func begin(_ head: Head, _ type: String, isHeld: Bool) -> TransferEnd? {
    if isHeld, request.media, arriving.lowerBound == 0, !arriving.isEmpty {
      unproved = (head, type, [])
    } else {
      tell(head)
    }
    return nil
  }

  private func tell(_ head: Head) {
    hasBegun = true
    switch head {
    case .answer(let answer): sink.accepted(answer)
    case .growing(let body, let facts): sink.grows(body, facts)
    case .beginning, .doubtful: break
    }
  }

  /// Judges the first bytes of an unproved answer. Gives the answer to the sink if they can be video or
  /// audio. Returns the end of the transfer; nil if it goes on.
  private func prove() -> TransferEnd? {
    guard let (head, type, beginning) = unproved else { return nil }
    unproved = nil
    if let fault = BodyKind.refusal(of: beginning, called: type, isSegment: request.isSegment) {
      guard BodyKind.isPlaylist(fault), request.expected == nil, !course.isAtBeginning else {
        return .refused(fault)
      }
      playlist = (fault, beginning)
      return nil
    }
    switch head {
    case .doubtful(let end): return end
    case .beginning:
      course.learn(.proved(type: type))
      course.beginningCame()
      step = .beginning
      return .cancelled
    case .answer, .growing:
      course.learn(.proved(type: type))
      tell(head)
      return beginning.isEmpty ? nil : deliver(beginning.span.bytes, at: 0)
    }
  }

  // MARK: Ends

  /// Judges the end to which a head leads. Returns the end that counts; nil if the body has to be read
  /// first. The media type or the first bytes can show that the answer comes from a captive portal, and
  /// so says nothing about the requested file. A playlist in place of video or audio is read, because
  /// only its last lines show whether it is that of a live stream.
  private func judge(_ end: TransferEnd, of head: ResponseHead, _ type: String) -> TransferEnd? {
    if case .unsatisfiable(let length) = end, !request.isCheck {
      step = course.next(afterUnsatisfied: length)
      return end
    }
    if case .refused(.contentRange) = end, !hasBegun, case .open? = head.contentRange {
      step = course.nextWithoutTotal()
      guard step == .none else { return .cancelled }
    }
    // Another server of the origin has perhaps sent this rest of a segment. Nothing proves that it
    // continues the earlier bytes.
    if end == .doubted, request.isSegment, hasBegun { return Self.anotherTag }
    guard request.media, [200, 206].contains(head.status) else { return end }
    switch end {
    case .changed, .doubted, .refused: break
    case .complete, .notModified, .unsatisfiable, .busy, .gone, .serverError, .unanswered, .broken,
      .blocked, .cancelled:
      return end
    }
    let fault = BodyKind.refusal(of: type, isSegment: request.isSegment)
    if let fault, BodyKind.isPlaylist(fault), request.expected == nil, !course.isAtBeginning {
      playlist = (fault, [])
      return nil
    }
    // The media type can be missing or wrong. The first bytes of a whole body show a page in any case.
    guard head.status == 200, !ResponseCheck.hasPart(head), ContentCoding.real(in: head) == nil
    else { return fault.map { course.manner.provedType == type ? end : .refused($0) } ?? end }
    (arriving, hasEnd) = (0..<Int.max, false)
    unproved = (.doubtful(end), type, [])
    return nil
  }

  private func takePlaylist(_ bytes: RawSpan) -> TransferEnd? {
    bytes.withUnsafeBytes { playlist?.bytes.append(contentsOf: $0) }
    guard let playlist, playlist.bytes.count >= LiveStream.maxPlaylistBytes else { return nil }
    return .refused(playlist.fault)
  }

  private func playlistEnded() -> TransferEnd? {
    guard let (fault, bytes) = playlist else { return nil }
    return .refused(LiveStream.isBroadcast(bytes) ? .live("an HLS playlist without an end") : fault)
  }
}
