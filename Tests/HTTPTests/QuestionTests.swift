import Addresses
import Blocks
import Testing

@testable import HTTP

/// An answer is held against the words of its own request, whatever was asked besides.
@Suite(.timeLimit(.minutes(1)))
struct QuestionTests {
  private static let request = RangeRequest(
    url: "http://o.example/v", range: .bytes(0..<200_000), expected: nil)
  /// A server that brings so many bytes at once, and takes no If-Range.
  private static let known = Manner(maxBytes: 50_000, failsAtIfRange: true)

  @Test(arguments: [
    // The server is learned while the first request waits, or is forgotten.
    (Manner(), known, 120_000, [Manner.Lesson.short(120_000)]),
    (known, Manner(), 50_000, []),
    (Manner(), known, 200_000, []),
  ])
  func whatAnAnswerShowsIsLearnedOfItsOwnQuestion(
    first: Manner, second: Manner, bytes: Int, lessons: [Manner.Lesson]
  ) throws {
    let exchange = RangeExchange(Self.request, RecordingSink())
    let question = exchange.question(for: first)
    _ = exchange.question(for: second)
    try answer(exchange, question, with: 0..<bytes)
    #expect(exchange.takeLessons().filter { $0 != .proved(type: "video/mp4") } == lessons)
  }

  @Test func aWholeBodyCountsAsRefusedRangesWhereIfRangeWasLeftOut() throws {
    let request = RangeRequest(
      url: Self.request.url, range: .bytes(50_000..<90_000), expected: WordyServer.found)
    let exchange = RangeExchange(request, RecordingSink())
    let question = exchange.question(for: Manner())
    let other = exchange.question(for: Self.known)
    #expect(question.range?.namesVersion == true)
    #expect(other.range?.namesVersion == false)
    let end = exchange.judge(head(of: WordyServer.whole), to: question, at: try place)
    // It had an If-Range. So it is asked once more without.
    #expect(end == .cancelled)
    #expect(exchange.asksAgain(after: .cancelled))
    #expect(exchange.takeLessons().isEmpty)
  }

  private func answer(
    _ exchange: RangeExchange, _ question: Question, with bytes: ByteRange
  ) throws {
    let reply = WordyServer.part(bytes)
    #expect(exchange.judge(head(of: reply), to: question, at: try place) == nil)
    #expect(exchange.take(reply.body.span.bytes) == nil)
    #expect(exchange.bodyEnded() == .complete)
  }

  private func head(of reply: WordyServer.Reply) -> ResponseHead {
    var head = ResponseHead(status: reply.status)
    for (name, value) in reply.fields { head.add(name, value) }
    return head
  }

  private var place: AnswerPlace {
    get throws {
      AnswerPlace(url: try WebAddress(parsing: Self.request.url), isPermanent: false)
    }
  }
}
