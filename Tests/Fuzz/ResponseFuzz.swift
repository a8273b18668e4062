// Built with modules that a sanitizer watches: see fuzz.sh.

import Addresses
import Blocks

@testable import HTTP

/// Checks for any answers that no byte is accepted that was not requested, or is of another version.
///
/// The first bytes choose the request; then comes the head, up to an empty line, then the body. Further
/// answers, to further questions, follow behind a record separator (0x1E) each.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  guard input.count > 4 else { return 0 }
  let request = question(input)
  precondition(request.fields.allSatisfy { !$0.utf8.contains(13) && !$0.utf8.contains(10) })
  var answers: [(head: ResponseHead, body: [UInt8])] = []
  for part in input[4...].split(separator: 0x1E, maxSplits: 7, omittingEmptySubsequences: false) {
    guard let answer = read(part) else { break }
    look(at: answer.head)
    answers.append(answer)
  }
  converse(request, answers, asksTwice: input[1] & 128 != 0)
  return 0
}

private func read(_ answer: ArraySlice<UInt8>) -> (head: ResponseHead, body: [UInt8])? {
  var reader = HeadReader()
  var rest = answer
  while let end = rest.firstIndex(of: 10) {
    let line = String(decoding: rest[...end], as: UTF8.self)
    rest = rest[(end + 1)...]
    switch reader.take(line) {
    case .more: continue
    case .whole(let head): return (head, Array(rest))
    case .fault: return nil
    }
  }
  return nil
}

/// Makes one of many requests, with or without facts from an earlier answer.
private func question(_ input: [UInt8]) -> RangeRequest {
  let validators: [Validator] = [
    .none, .entityTag("\"1\""), .lastModified("Mon, 01 Jan 2024 00:00:00 GMT"),
  ]
  let lengths = [0, 1, 100, 65_536, Int.max]
  let known = Representation(
    length: lengths[Int(input[0] >> 2) % lengths.count],
    validator: validators[Int(input[0] & 3) % validators.count])
  let expected = input[1] & 1 == 0 ? known : nil
  if input[1] & 2 != 0 { return RangeRequest(checking: known, at: "http://h.org/v.mp4") }
  if input[1] & 64 != 0 {
    return RangeRequest(
      continuing: known.validator, at: "http://h.org/v.mp4", from: Int(input[2]), priority: .demand)
  }
  let range: RequestedRange
  if input[1] & 4 != 0 {
    range = .suffix(1 + Int(input[2]))
  } else {
    let lower = input[1] & 8 == 0 ? Int(input[2]) : Int(input[2]) << 54
    range = .bytes(lower..<lower + 1 + Int(input[3]))
  }
  var request = RangeRequest(
    url: "http://h.org/v.mp4", range: range, expected: expected, media: input[1] & 16 == 0)
  request.mayGrow = expected == nil && input[1] & 32 != 0
  return request
}

/// Checks the values of a head, one by one.
private func look(at head: ResponseHead) {
  if let left = Freshness.remaining(of: head) {
    precondition(left >= .zero && left <= .seconds(366 * 86_400), "a freshness out of bounds")
  }
  if let wait = Freshness.retryAfter(of: head, now: 1_800_000_000) {
    precondition(wait >= .zero && wait <= .seconds(86_400), "a pause out of bounds")
  }
  for field in head.fields {
    if case .bytes(let bytes, let length)? = ContentRange(parsing: field.value) {
      precondition(bytes.lowerBound >= 0 && !bytes.isEmpty && bytes.upperBound <= length)
    }
    if EntityTag.isStrong(field.value) || HTTPDate.isValid(field.value) {
      precondition(field.value.utf8.allSatisfy { (0x20...0x7e).contains($0) }, "a control is sent")
    }
    precondition(field.value.tamed.utf8.count <= 60)
  }
  guard let url = try? WebAddress(parsing: "https://h.org/dir/v.mp4?token=secret") else { return }
  if case .follow(let next, _)? = Redirect(head, from: url, hops: 1) {
    precondition(next.origin.scheme == "https", "down from https")
    precondition(!next.text.utf8.contains(13) && !next.text.utf8.contains(10))
  }
}

/// Gives one answer after the other, as long as the exchange asks again.
///
/// - Parameter asksTwice: true if another question is under way each time, as of a second ask.
private func converse(
  _ request: RangeRequest, _ answers: [(head: ResponseHead, body: [UInt8])], asksTwice: Bool
) {
  guard let url = try? WebAddress(parsing: request.url) else { return }
  let sink = CheckingSink(request)
  let exchange = RangeExchange(request, sink)
  var manners = Manners()
  for (head, body) in answers {
    let question = exchange.question(for: manners.manner(of: url.origin, at: request.url))
    check(question, of: request)
    if asksTwice { _ = exchange.question(for: Manner(maxBytes: 20_000, failsAtIfRange: true)) }
    sink.expect(body, at: place(of: head))
    if case .unsatisfied? = head.single("content-range").flatMap(ContentRange.init(parsing:)) {
      sink.isWithinLength = true
    }
    let end = play(head, body, to: question, of: exchange, sink, at: url)
    for lesson in exchange.takeLessons() {
      manners.learn(lesson, of: url.origin, at: request.url)
    }
    let asksAgain = exchange.asksAgain(after: end)
    if end == .complete, let announced = sink.answer?.bytes {
      precondition((sink.next == announced.upperBound) != asksAgain, "a part is called all of it")
    }
    guard asksAgain else { return exchange.ended(end) }
  }
  exchange.ended(.cancelled)
}

private func check(_ question: Question, of request: RangeRequest) {
  precondition(question.fields.allSatisfy { !$0.utf8.contains(13) && !$0.utf8.contains(10) })
  guard case .bytes(let asked)? = question.range?.range, case .bytes(let all) = request.range
  else { return }
  let isBeginning = asked == 0..<BodyKind.head
  precondition(isBeginning || asked == asked.clamped(to: all), "it asks for what nobody wants")
}

private func play(
  _ head: ResponseHead, _ body: [UInt8], to question: Question, of exchange: RangeExchange,
  _ sink: CheckingSink, at url: WebAddress
) -> TransferEnd {
  let hadBegun = sink.hasBegun
  if let end = exchange.judge(head, to: question, at: AnswerPlace(url: url, isPermanent: false)) {
    precondition(sink.hasBegun == hadBegun, "taken and refused")
    precondition(end != .complete)
    return end
  }
  var done = 0
  while done < body.count {
    let next = min(body.count, done + 1 + done % 7)
    // More than was asked for may come; or the bytes show that another question is needed.
    if let end = exchange.take(body.span.bytes.extracting(done..<next)) { return end }
    done = next
  }
  // An answer that proves a version is accepted with its first bytes.
  let end = exchange.bodyEnded()
  if let growing = sink.growing {
    precondition(
      end != .complete || growing.length == nil || sink.next <= growing.length ?? 0, "too much")
  } else {
    precondition(end != .complete || sink.answer != nil, "a body without a head")
  }
  return end
}

/// Returns the place in the whole at which the body of an answer begins, as its own words say.
private func place(of head: ResponseHead) -> Int {
  switch head.values("content-range").first.flatMap(ContentRange.init(parsing:)) {
  case .bytes(let bytes, _)?, .open(let bytes)?: bytes.lowerBound
  case .unsatisfied?, nil: 0
  }
}

/// Checks that exactly the requested bytes arrive, in order.
private final class CheckingSink: RangeSink, @unchecked Sendable {
  private let request: RangeRequest
  private var body: [UInt8] = []
  /// The place of the body's first byte.
  private var place = 0
  /// True once an answer has told a length that the range is cut to.
  var isWithinLength = false
  private var hasEnded = false
  private(set) var answer: AcceptedAnswer?
  private(set) var growing: GrowingBody?
  private(set) var next = 0

  init(_ request: RangeRequest) {
    self.request = request
  }

  var hasBegun: Bool { answer != nil || growing != nil }

  func expect(_ body: [UInt8], at place: Int) {
    (self.body, self.place) = (body, place)
  }

  func accepted(_ answer: AcceptedAnswer) {
    precondition(self.answer == nil && !request.isCheck, "nobody asked for bytes")
    let length = answer.representation.length
    precondition(answer.bytes.lowerBound >= 0 && answer.bytes.upperBound <= length)
    precondition(request.expected == nil || request.expected == answer.representation)
    if answer.isWhole {
      precondition(answer.bytes == 0..<length)
    } else {
      precondition(isWithinLength || answer.bytes == asked(of: length))
    }
    self.answer = answer
    next = answer.bytes.lowerBound
  }

  func grows(_ body: GrowingBody, _ answer: AnswerFacts) {
    precondition(self.answer == nil && growing == nil && request.mayGrow, "nobody asked for it")
    precondition(body.start == 0 || .from(body.start) == request.range, "another place")
    precondition(body.length.map { $0 >= body.start } ?? true)
    growing = body
    next = body.start
  }

  func received(_ bytes: RawSpan, at offset: Int) {
    guard let announced = answer?.bytes ?? growing.map({ $0.start..<($0.length ?? .max) }) else {
      preconditionFailure("bytes before a head")
    }
    precondition(offset == next && bytes.byteCount <= announced.upperBound - offset)
    let start = offset - place
    bytes.withUnsafeBytes { precondition($0.elementsEqual(body[start..<start + $0.count])) }
    next = offset + bytes.byteCount
  }

  func ended(_ end: TransferEnd) {
    precondition(!hasEnded, "a second end")
    hasEnded = true
  }

  /// The requested bytes of a file of `length` bytes, computed differently than in the product.
  private func asked(of length: Int) -> ByteRange? {
    switch request.range {
    case .bytes(let bytes):
      let range = bytes.clamped(to: 0..<max(0, length))
      return range.isEmpty ? nil : range
    case .from(let offset): return offset < length ? offset..<length : nil
    case .suffix(let count): return length == 0 ? nil : max(0, length - count)..<length
    }
  }
}
