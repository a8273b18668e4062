import Blocks
import FeedReading
import Logging
import NIOConcurrencyHelpers
import Streaming
import TestSupport
import Testing

@testable import FeedMount
@testable import HTTP

/// The reaction of an origin to the ends of its transfers.
@Suite(.timeLimit(.minutes(1)))
struct HTTPOriginTests {
  private let client = ScriptedClient()
  private let sink = EndSink()
  private let clock = NIOLockedValueBox(1000)
  private let failures: Failures

  init() {
    let clock = clock
    failures = Failures(
      now: { clock.withLockedValue { $0 } },
      Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
  }

  private func origin(_ sources: [String] = ["http://o/1"]) -> HTTPOrigin {
    HTTPOrigin(
      client, for: nil, sources: sources, first: sources[0], expected: nil, resolver: nil,
      failures: failures, tasks: .real
    ) { _ in }
  }

  @Test func anExpiredAddressIsNoFailureWhereTheFeedHasGivenANewerOneMeanwhile() {
    let origin = origin()
    origin.start(1, of: 0..<10, urgency: .demand, for: sink)
    origin.moved(to: ["http://o/2"], from: "http://o/2")
    client.end(0, .gone(status: 403))

    #expect(client.urls == ["http://o/1", "http://o/2"])
    #expect(sink.ends == [])
    client.end(1, .gone(status: 403))
    #expect(sink.ends == [.gone])
  }

  @Test func anAddressThatIsTheNewestIsGone() {
    let origin = origin()
    origin.moved(to: ["http://o/2"], from: "http://o/2")
    origin.moved(to: ["http://o/1"], from: "http://o/1")
    origin.start(1, of: 0..<10, urgency: .demand, for: sink)
    client.end(0, .gone(status: 404))

    #expect(sink.ends == [.gone])
  }

  @Test func whatWasCancelledWhileItsAnswerWasDeclinedIsNotAskedForAgain() {
    let origin = origin(["http://o/1", "http://o/2"])
    origin.start(1, of: 0..<10, urgency: .demand, for: sink)
    client.answerWithWhole(0)
    origin.cancel(1)
    client.end(0, .cancelled)

    #expect(client.urls == ["http://o/1"])
    #expect(sink.ends == [.unanswered])
  }

  @Test func anAnswerThatWasDeclinedIsAskedForElsewhere() {
    let origin = origin(["http://o/1", "http://o/2"])
    origin.start(1, of: 0..<10, urgency: .demand, for: sink)
    client.answerWithWhole(0)
    client.end(0, .cancelled)

    #expect(client.urls == ["http://o/1", "http://o/2"])
    #expect(sink.ends == [])
  }

  // MARK: Hopeless addresses

  @Test(arguments: [
    ResponseFault.noLength, .notMedia(contentType: "text/html"), .list("an HLS playlist"),
    .contentCoding("gzip"), .multipart, .contentRange("garbled"), .badRedirect,
    .unexpectedStatus(418),
  ])
  func aRefusalLeadsToTheNextCandidateAtOnceAndTheLastOneToAnError(fault: ResponseFault) throws {
    let origin = origin(["http://o/1", "http://o/2"])
    origin.start(1, of: 0..<10, urgency: .demand, for: sink)
    client.end(0, .refused(fault))
    try #require(client.urls == ["http://o/1", "http://o/2"])
    client.end(1, .refused(fault))

    #expect(client.urls.count == 2)
    #expect(sink.ends == [.blocked])
    #expect(origin.trouble?.contains("cannot be used") ?? false)
    #expect(origin.isHopeless)
  }

  @Test func whatWasRefusedIsNotAskedForTenMinutes() {
    origin().start(1, of: 0..<10, urgency: .demand, for: sink)
    client.end(0, .refused(.noLength))
    clock.withLockedValue { $0 += Int(Figure.refusalMemory.time / .seconds(1)) - 1 }
    let later = origin()
    later.start(1, of: 0..<10, urgency: .demand, for: sink)
    #expect(client.urls.count == 1)
    #expect(sink.ends == [.blocked, .blocked])
    #expect(later.trouble?.contains("how long") ?? false)

    clock.withLockedValue { $0 += 1 }
    later.start(2, of: 0..<10, urgency: .demand, for: sink)
    #expect(client.urls.count == 2)
  }

  @Test func anotherAddressOfTheFeedIsAskedAtOnce() {
    let origin = origin()
    origin.start(1, of: 0..<10, urgency: .demand, for: sink)
    client.end(0, .refused(.noLength))
    origin.moved(to: ["http://o/2"], from: "http://o/2")
    origin.start(2, of: 0..<10, urgency: .demand, for: sink)

    #expect(client.urls == ["http://o/1", "http://o/2"])
  }

  @Test func oneWithoutRangesIsTakenWhereTheBestWasRefused() {
    let origin = origin(["http://o/1", "http://o/2", "http://o/3"])
    origin.start(1, of: 0..<10, urgency: .demand, for: sink)
    client.end(0, .refused(.noLength))
    client.answerWithWhole(1)
    client.end(1, .cancelled)
    client.end(2, .refused(.multipart))

    #expect(client.urls == ["http://o/1", "http://o/2", "http://o/3", "http://o/2"])
    client.answerWithWhole(3)
    client.end(3, .complete)
    #expect(sink.ends == [.complete])
  }

  @Test(arguments: [ResponseFault.notHTTP, .tooManyBytes])
  func whatOnlyTheConnectionHasSpoiltIsAskedAgain(fault: ResponseFault) {
    origin().start(1, of: 0..<10, urgency: .demand, for: sink)
    client.end(0, .refused(fault))

    #expect(sink.ends == [.failed])
  }

  @Test func whatWasProvedIsAskedAgainSinceAPortalPasses() {
    let origin = HTTPOrigin(
      client, for: nil, sources: ["http://o/1"], first: "http://o/1",
      expected: Representation(length: 100, validator: .none), resolver: nil, failures: failures,
      tasks: .real
    ) { _ in }
    origin.start(1, of: 0..<10, urgency: .demand, for: sink)
    client.end(0, .refused(.notMedia(contentType: "text/html")))
    origin.start(2, of: 0..<10, urgency: .demand, for: sink)

    #expect(sink.ends == [.failed])
    #expect(client.urls.count == 2)
  }

  @Test func anOriginThatStopsTellingTheLengthHasAnotherVersionInTheEnd() {
    let origin = HTTPOrigin(
      client, for: nil, sources: ["http://o/1"], first: "http://o/1",
      expected: Representation(length: 100, validator: .none), resolver: nil, failures: failures,
      tasks: .real
    ) { _ in }
    for number in 1...3 {
      origin.start(FetchID(number), of: 0..<10, urgency: .demand, for: sink)
      client.end(number - 1, .refused(.noLength))
    }

    #expect(sink.ends == [.failed, .failed, .changed])
  }

  // MARK: The formats of a page

  struct Page: Sendable {
    var formats = ["a", "b", "c"]
    var refused: Set<String> = []
    var wasAskedAnew = true
    var isProved = false
    /// The addresses that are gone, in order.
    let gone: [String]
    /// Whether another format is asked after each.
    let leads: [Bool]
  }

  @Test(arguments: [
    Page(gone: ["a"], leads: [true]), Page(gone: ["a", "b"], leads: [true, true]),
    Page(gone: ["a", "b", "c"], leads: [true, true, false]),
    // Two fetches of one address.
    Page(gone: ["a", "a"], leads: [true, true]),
    // The page is asked anew first.
    Page(wasAskedAnew: false, gone: ["a", "a"], leads: [false, false]),
    // What was proved stays.
    Page(isProved: true, gone: ["a"], leads: [false]),
    Page(refused: ["b"], gone: ["a", "c"], leads: [true, false]),
    Page(formats: ["a"], gone: ["a"], leads: [false]),
    Page(formats: [], gone: ["a"], leads: [false]),
    // After the last one all begins anew, with a new question.
    Page(formats: ["a", "b"], gone: ["a", "b", "a"], leads: [true, false, false]),
  ])
  func aFormatThatIsGoneLeadsToTheNextOfANewAnswer(page: Page) {
    var state = HTTPOrigin.State(
      sources: ["page"], url: "page",
      expected: page.isProved ? Representation(length: 9, validator: .none) : nil)
    state.offers = page.formats.map { PageFormat(url: $0) }
    state.wasAskedAnew = page.wasAskedAnew
    let leads = page.gone.map { state.leaves(gone: $0, isPage: true, besides: page.refused) }
    #expect(leads == page.leads)
    #expect(state.url == "page")
  }

  // MARK: Bodies without length

  @Test func aBodyWithoutLengthIsTheLastChoice() {
    let origin = origin(["http://o/1", "http://o/2", "http://o/3"])
    origin.start(1, of: 0..<10, urgency: .demand, for: sink)
    client.grow(0)
    client.end(0, .cancelled)
    client.answerWithWhole(1)
    client.end(1, .cancelled)
    client.end(2, .refused(.multipart))
    #expect(client.urls == ["http://o/1", "http://o/2", "http://o/3", "http://o/2"])
    #expect(sink.bodies.isEmpty)
    // The one without ranges has gone meanwhile.
    client.end(3, .refused(.multipart))
    #expect(client.urls.last == "http://o/1")
    client.grow(4)

    #expect(sink.bodies.count == 1 && sink.ends == [])
  }

  @Test func aBodyWithoutLengthIsGoneOnWithAndProvedAtItsEnd() {
    let answers = NIOLockedValueBox<[AcceptedAnswer]>([])
    let origin = HTTPOrigin(
      client, for: nil, sources: ["http://o/1"], first: "http://o/1", expected: nil,
      resolver: nil, failures: failures, tasks: .real
    ) { answer in answers.withLockedValue { $0.append(answer) } }
    origin.start(1, of: 0..<10, urgency: .demand, for: sink)
    #expect(client.requests[0].mayGrow)
    client.grow(0)
    client.end(0, .broken(reason: "cut"))
    origin.follow(2, of: .none, from: 5, for: sink)
    #expect(client.requests[1].range == .from(5) && client.requests[1].mayGrow)
    // An address that refuses a rest is not given up, since bytes of it are there.
    client.end(1, .refused(.contentRange("garbled")))
    #expect(sink.ends == [.failed, .failed] && !origin.isHopeless)
    #expect(answers.withLockedValue { $0 } == [])
    let proved = Representation(length: 7, validator: .none)
    origin.proved(proved)

    #expect(answers.withLockedValue { $0.map(\.representation) } == [proved])
    origin.start(3, of: 0..<7, urgency: .demand, for: sink)
    #expect(client.requests[2].expected == proved && !client.requests[2].mayGrow)
  }

  @Test func aCancelThatComesBeforeItsTransferIsKnownEndsThatTransfer() {
    let origin = origin()
    client.whenStarting { origin.cancel(1) }
    origin.start(1, of: 0..<10, urgency: .demand, for: sink)

    #expect(client.cancelled == [0])
  }
}

/// Records how fetches ended.
private final class EndSink: FetchSink {
  private let all = NIOLockedValueBox<[FetchEnd]>([])

  private let grown = NIOLockedValueBox<[GrowingBody]>([])

  var ends: [FetchEnd] { all.withLockedValue { $0 } }
  var bodies: [GrowingBody] { grown.withLockedValue { $0 } }

  func began(_ fetch: FetchID, _ representation: Representation, bytes: ByteRange, whole: Bool) {}

  func grows(_ fetch: FetchID, _ body: GrowingBody) {
    grown.withLockedValue { $0.append(body) }
  }

  func received(_ bytes: RawSpan, at offset: Int, in fetch: FetchID) {}
  func rested(_ fetch: FetchID) {}

  func ended(_ fetch: FetchID, _ end: FetchEnd) {
    all.withLockedValue { $0.append(end) }
  }
}
