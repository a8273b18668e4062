import Blocks
import FeedReading
import Filling
import Logging
import Locks
import TestSupport
import Testing

@testable import FeedMount
@testable import HTTP
@testable import World

/// The reaction of an origin to the ends of its transfers.
@Suite(.timeLimit(.minutes(1)))
struct HTTPOriginTests {
  private let client = ScriptedClient()
  private let sink = EndSink()
  private let clock = Locked(1000)
  private let failures: Failures

  init() {
    let clock = clock
    failures = Failures(
      now: { clock.withLock { $0 } },
      Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
  }

  private var needs: OriginNeeds {
    OriginNeeds(client: client, failures: failures, tasks: .real)
  }

  private func origin(_ sources: [String] = ["http://o/1"]) -> HTTPOrigin {
    HTTPOrigin(AddressChoice(of: Candidates(sources, current: sources[0])), with: needs) { _ in }
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
    ResponseFault.noLength, .notMedia(contentType: "text/html"), .list(.hls),
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
    clock.withLock { $0 += Int(Figure.refusalMemory.time / .seconds(1)) - 1 }
    let later = origin()
    later.start(1, of: 0..<10, urgency: .demand, for: sink)
    #expect(client.urls.count == 1)
    #expect(sink.ends == [.blocked, .blocked])
    #expect(later.trouble?.contains("how long") ?? false)

    clock.withLock { $0 += 1 }
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
    let origin = proved()
    origin.start(1, of: 0..<10, urgency: .demand, for: sink)
    client.end(0, .refused(.notMedia(contentType: "text/html")))
    origin.start(2, of: 0..<10, urgency: .demand, for: sink)

    #expect(sink.ends == [.mayBeGone])
    #expect(client.urls.count == 2)
  }

  @Test func anOriginThatStopsTellingTheLengthHasAnotherVersionInTheEnd() {
    let origin = proved()
    for number in 1...3 {
      origin.start(FetchID(number), of: 0..<10, urgency: .demand, for: sink)
      client.end(number - 1, .refused(.noLength))
    }

    #expect(sink.ends == [.failed, .failed, .changed])
  }

  // MARK: Addresses that may have run out

  private static let refusals: [ResponseFault] = [
    .unexpectedStatus(400), .unexpectedStatus(406), .unexpectedStatus(419),
    .notMedia(contentType: "text/html"),
  ]

  @Test(arguments: refusals)
  func whatWasReadBeforeMayHaveRunOut(fault: ResponseFault) {
    let origin = proved()
    origin.start(1, of: 0..<10, urgency: .demand, for: sink)
    client.end(0, .refused(fault))
    #expect(sink.ends == [.mayBeGone] && !origin.isSurelyGone)
    // The feed has given a newer one meanwhile.
    origin.start(2, of: 0..<10, urgency: .demand, for: sink)
    origin.moved(to: ["http://o/2"], from: "http://o/2")
    client.end(1, .refused(fault))

    #expect(client.urls == ["http://o/1", "http://o/1", "http://o/2"])
  }

  @Test(arguments: refusals)
  func anAddressThatExpiresIsAskedForAnewOnce(fault: ResponseFault) {
    let origin = origin(["http://o/1?Expires=900"])
    origin.start(1, of: 0..<10, urgency: .demand, for: sink)
    client.end(0, .refused(fault))
    #expect(sink.ends == [.gone] && failures.refusals.isEmpty)
    #expect(!origin.willBeRenewed())
    origin.moved(to: ["http://o/1?Expires=2000"], from: "http://o/1?Expires=2000")
    origin.start(2, of: 0..<10, urgency: .demand, for: sink)
    client.end(1, .refused(fault))

    #expect(sink.ends == [.gone, .blocked])
  }

  @Test func aFaultOfAnotherKindIsNoSignOfIt() {
    let origin = proved()
    for (number, end) in [
      TransferEnd.refused(.contentRange("garbled")), .refused(.multipart),
      .serverError(status: 500),
    ].enumerated() {
      origin.start(FetchID(number + 1), of: 0..<10, urgency: .demand, for: sink)
      client.end(number, end)
    }

    #expect(sink.ends == [.failed, .failed, .failed])
  }

  private func proved(
    _ validator: Validator = .none, _ marks: VersionMarks = VersionMarks()
  ) -> HTTPOrigin {
    let choice = AddressChoice(
      of: Candidates(["http://o/1"], current: "http://o/1"),
      proof: VersionProof(Representation(length: 100, validator: validator), marks))
    return HTTPOrigin(choice, with: needs) { _ in }
  }

  // MARK: Tags

  @Test func aRequestNamesNoTagWhereTagsDoNotCount() {
    let tag = Validator.entityTag("\"1\"")
    for (origin, counts) in [("http://o:80", false), ("http://p:80", true)] {
      let file = proved(tag, VersionMarks(untaggedAt: origin, date: "Tue"))
      file.start(1, of: 0..<10, urgency: .demand, for: sink)
      #expect(client.requests.last?.ignoresTags == !counts)
      #expect(client.requests.last?.date == "Tue")
    }
  }

  /// The tags of the answers to the requests for a place, and whether it is compared.
  @Test(arguments: [
    (["\"2\""], true), (["\"1\"", "\"1\"", "\"2\""], true), ([nil], true),
    (["\"1\"", "\"1\"", "\"1\"", "\"2\""], true),
    (["\"1\"", "\"1\"", "\"1\"", "\"1\""], false),
  ])
  func onlyAnswersWithAnotherTagAreCompared(tags: [String?], isCompared: Bool) throws {
    let origin = proved(.entityTag("\"1\""))
    let samples = Locked<[Sample]>([])
    origin.sample(1, of: [20..<25]) { sample in samples.withLock { $0.append(sample) } }
    for (number, tag) in tags.enumerated() {
      try #require(client.requests.count > number)
      #expect(client.requests[number].range == .bytes(20..<25))
      #expect(client.requests[number].ignoresTags)
      client.answer(number, tag, [1, 2, 3, 4, 5], at: 20)
      client.end(number, .complete)
    }

    let piece = Sample.Piece(offset: 20, bytes: [1, 2, 3, 4, 5])
    #expect(samples.withLock { $0 } == [isCompared ? .pieces([piece]) : .known])
    #expect(client.requests.count == tags.count)
  }

  /// Where an earlier sampling has shown the known tag alone, fewer such answers are enough.
  @Test func aSamplingBehindOneInVainAsksLessOften() {
    let origin = proved(.entityTag("\"1\""))
    for comparison in [1, 2] as [FetchID] {
      let first = client.requests.count
      origin.sample(comparison, of: [20..<25]) { _ in }
      for number in first..<first + (comparison == 1 ? 4 : 3) {
        client.answer(number, "\"1\"", [1, 2, 3, 4, 5], at: 20)
        client.end(number, .complete)
      }
    }
    #expect(client.requests.count == 7)
  }

  @Test func eachPlaceIsAskedForAndOfAWholeBodyNoMoreThanThat() {
    let origin = proved(.entityTag("\"1\""))
    let samples = Locked<[Sample]>([])
    origin.sample(1, of: [0..<5, 90..<95]) { sample in
      samples.withLock { $0.append(sample) }
    }
    client.answerWithWhole(0)
    client.give(0, [1, 2, 3, 4, 5, 6], at: 0)
    #expect(client.cancelled == [0])
    client.end(0, .cancelled)
    client.answer(1, "\"2\"", [7, 7, 7, 7, 7], at: 90)
    client.end(1, .complete)

    #expect(
      samples.withLock { $0 } == [
        .pieces([
          Sample.Piece(offset: 0, bytes: [1, 2, 3, 4, 5]),
          Sample.Piece(offset: 90, bytes: [7, 7, 7, 7, 7]),
        ])
      ])
  }

  @Test func aComparisonThatIsTakenBackTellsNothing() {
    let origin = proved(.entityTag("\"1\""))
    let samples = Locked<[Sample]>([])
    origin.sample(1, of: [0..<5]) { sample in samples.withLock { $0.append(sample) } }
    origin.cancel(1)
    client.end(0, .cancelled)

    #expect(client.cancelled == [0] && samples.withLock { $0 }.isEmpty)
  }

  /// The ends of a request for a place.
  @Test(arguments: [
    (TransferEnd.changed, FetchEnd.changed), (.unanswered(Silence("silence")), .unanswered),
    (.serverError(status: 500), .failed), (.gone(status: 403), .gone),
    (.refused(.unexpectedStatus(400)), .mayBeGone),
    (.unsatisfiable(length: 9), .unsatisfiable(length: 9)),
  ])
  func aComparisonThatFailsSaysHow(end: TransferEnd, outcome: FetchEnd) {
    let samples = Locked<[Sample]>([])
    proved(.entityTag("\"1\"")).sample(1, of: [0..<5]) { sample in
      samples.withLock { $0.append(sample) }
    }
    client.end(0, end)

    #expect(samples.withLock { $0 } == [.ended(outcome)])
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
    let answers = Locked<[AcceptedAnswer]>([])
    let choice = AddressChoice(of: Candidates(["http://o/1"], current: "http://o/1"))
    let origin = HTTPOrigin(choice, with: needs) { news in
      if case .head(let news) = news { answers.withLock { $0.append(news.answer) } }
    }
    origin.start(1, of: 0..<10, urgency: .demand, for: sink)
    #expect(client.requests[0].mayGrow)
    client.grow(0)
    client.end(0, .broken(reason: "cut"))
    origin.follow(2, of: .none, from: 5, for: sink)
    #expect(client.requests[1].range == .from(5) && client.requests[1].mayGrow)
    // An address that refuses a rest is not given up, since bytes of it are there.
    client.end(1, .refused(.contentRange("garbled")))
    #expect(sink.ends == [.failed, .failed] && !origin.isHopeless)
    #expect(answers.withLock { $0 } == [])
    let proved = Representation(length: 7, validator: .none)
    origin.proved(proved)

    #expect(answers.withLock { $0.map(\.representation) } == [proved])
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
  private let all = Locked<[FetchEnd]>([])

  private let grown = Locked<[GrowingBody]>([])

  var ends: [FetchEnd] { all.withLock { $0 } }
  var bodies: [GrowingBody] { grown.withLock { $0 } }

  func began(_ fetch: FetchID, _ representation: Representation, bytes: ByteRange, whole: Bool) {}

  func grows(_ fetch: FetchID, _ body: GrowingBody) {
    grown.withLock { $0.append(body) }
  }

  func received(_ bytes: RawSpan, at offset: Int, in fetch: FetchID) {}
  func rested(_ fetch: FetchID) {}

  func ended(_ fetch: FetchID, _ end: FetchEnd) {
    all.withLock { $0.append(end) }
  }
}
