import Blocks
import NIOConcurrencyHelpers
import Streaming
import Testing

@testable import FeedMount
@testable import HTTP

/// What an origin makes of the ends of its transfers.
@Suite(.timeLimit(.minutes(1)))
struct HTTPOriginTests {
  private let client = ScriptedClient()
  private let sink = EndSink()

  private func origin(_ sources: [String] = ["http://o/1"]) -> HTTPOrigin {
    HTTPOrigin(
      client, for: nil, sources: sources, first: sources[0], expected: nil, resolver: nil
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

  @Test func aCancelThatComesBeforeItsTransferIsKnownEndsThatTransfer() {
    let origin = origin()
    client.whenStarting { origin.cancel(1) }
    origin.start(1, of: 0..<10, urgency: .demand, for: sink)

    #expect(client.cancelled == [0])
  }
}

/// Remembers how fetches ended.
private final class EndSink: FetchSink {
  private let all = NIOLockedValueBox<[FetchEnd]>([])

  var ends: [FetchEnd] { all.withLockedValue { $0 } }

  func began(_ fetch: FetchID, _ representation: Representation, bytes: ByteRange, whole: Bool) {}

  func received(_ bytes: RawSpan, at offset: Int, in fetch: FetchID) {}

  func ended(_ fetch: FetchID, _ end: FetchEnd) {
    all.withLockedValue { $0.append(end) }
  }
}
