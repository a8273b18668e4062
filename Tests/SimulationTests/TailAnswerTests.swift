import Blocks
import FeedReading
import Filling
import Logging
import Locks
import TestSupport
import Testing

@testable import Catalog
@testable import FeedMount
@testable import HTTP
@testable import World

/// The answer to a request for the end of a film, which waits for the head to prove the version.
@Suite(.timeLimit(.minutes(1)))
struct TailAnswerTests {
  private static let version = Representation(length: 1000, validator: .entityTag("\"v1\""))
  private static let end: [UInt8] = Pattern.bytes(900..<1000)

  private let client = ScriptedClient()
  private let sink = PieceSink()
  private let failures = Failures(
    now: { 1000 }, Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })

  /// An origin that was asked for head and tail; the client's transfers 0 and 1.
  private func asked() -> HTTPOrigin {
    let needs = OriginNeeds(client: client, failures: failures, tasks: .real)
    let choice = AddressChoice(of: Candidates(["http://o/1"], current: "http://o/1"))
    let origin = HTTPOrigin(choice, with: needs) { _ in }
    origin.start(1, of: 0..<10, urgency: .demand, for: sink)
    origin.startTail(2, of: 100, for: sink)
    return origin
  }

  private func give(_ version: Representation = version) {
    client.accept(1, version, 900..<1000)
    client.give(1, Array(Self.end.prefix(60)), at: 900)
    client.give(1, Array(Self.end.dropFirst(60)), at: 960)
  }

  @Test func onlyAFileIsAskedForItsEnd() {
    func entry(_ url: String, _ type: String) -> CatalogEntry {
      var media = Media(url: url)
      media.type = type
      return CatalogEntry(
        number: 1, inode: 2, key: "k", entry: Entry(id: "k", idSource: .guid), media: media,
        fileExtension: "mp4", now: 0)
    }
    func known(_ tag: String) -> KnownBody {
      KnownBody(length: 4096, entityTag: tag, checkedAt: 0, freshFor: 60)
    }
    var film = entry("http://o/1.mp4", "video/mp4")
    #expect(film.isFile)
    film.known = known("\"v1\"")
    #expect(film.isFile)
    film.known = known("\"s3-\(String(repeating: "0", count: 32))\"")
    #expect(!film.isFile)
    #expect(!entry("http://o/1.m3u8", "application/vnd.apple.mpegurl").isFile)
    #expect(!entry("http://o/watch", "text/html").isFile)
  }

  @Test func onlyTheNumberOfBytesIsAskedFor() {
    _ = asked()
    #expect(client.requests.map(\.range) == [.bytes(0..<10), .suffix(100)])
    #expect(client.requests.last?.asksOnce ?? false)
  }

  @Test(arguments: [true, false])
  func itsBytesComeOnceTheVersionIsProved(isEarly: Bool) {
    let origin = asked()
    if isEarly {
      give()
      client.end(1, .complete)
      #expect(sink.bytes.isEmpty && sink.begun.isEmpty && sink.ends.isEmpty)
    }
    origin.settleTail(as: Self.version)
    if !isEarly {
      give()
      client.end(1, .complete)
    }
    #expect(sink.begun == [900..<1000])
    #expect(sink.bytes == Self.end)
    #expect(sink.ends == [.complete])
  }

  @Test(arguments: [true, false])
  func anAnswerOfAnotherVersionGivesNothing(isEarly: Bool) {
    let other = Representation(length: 1000, validator: .entityTag("\"v2\""))
    let origin = asked()
    if isEarly { give(other) }
    origin.settleTail(as: Self.version)
    if !isEarly { give(other) }
    #expect(sink.bytes.isEmpty && sink.begun.isEmpty)
    #expect(sink.ends == [.impossible])
    #expect(client.cancelled == [1])
    client.end(1, .cancelled)
    #expect(sink.ends == [.impossible])
  }

  /// The thread that asks was slower than the one that takes the head.
  @Test func anEndThatIsAskedForBehindTheProofEndsAtOnce() {
    let needs = OriginNeeds(client: client, failures: failures, tasks: .real)
    let choice = AddressChoice(of: Candidates(["http://o/1"], current: "http://o/1"))
    let origin = HTTPOrigin(choice, with: needs) { _ in }
    origin.start(1, of: 0..<10, urgency: .demand, for: sink)
    origin.settleTail(as: Self.version)
    origin.startTail(2, of: 100, for: sink)
    #expect(sink.ends == [.failed])
    #expect(client.requests.map(\.range) == [.bytes(0..<10)])
  }

  @Test func anAnswerFromAnAddressThatWasLeftGivesNothing() {
    let origin = asked()
    give()
    origin.moved(to: ["http://o/2"], from: "http://o/2")
    origin.settleTail(as: Self.version)
    #expect(sink.bytes.isEmpty && sink.ends == [.failed])
  }

  @Test(
    arguments: [
      (.cancelled, .failed), (.broken(reason: ""), .failed),
      (.unanswered(Silence("it was silent")), .impossible),
      (.unanswered(Silence("it closed", cause: .closed)), .impossible),
      (.gone(status: 403), .impossible),
      (.refused(.contentRange("the whole")), .impossible), (.refused(.noLength), .impossible),
      (.unsatisfiable(length: 1000), .impossible), (.serverError(status: 500), .impossible),
      (.busy(status: 429, retryAfter: .seconds(3)), .impossible),
    ] as [(TransferEnd, FetchEnd)], [true, false])
  func noEndOfItIsOneOfTheFilm(end: (TransferEnd, FetchEnd), isEarly: Bool) {
    let origin = asked()
    if isEarly { client.end(1, end.0) }
    origin.settleTail(as: Self.version)
    if !isEarly { client.end(1, end.0) }
    #expect(sink.ends == [end.1])
    #expect(!origin.isHopeless && origin.trouble == nil)
    #expect(failures.refusals.isEmpty)
  }

  @Test func whatWasCancelledIsForgotten() {
    let origin = asked()
    give()
    origin.cancel(2)
    #expect(client.cancelled == [1])
    origin.settleTail(as: Self.version)
    #expect(sink.begun.isEmpty && sink.ends.isEmpty)
  }

  @Test func aBreakLeavesWhatCame() {
    let origin = asked()
    origin.settleTail(as: Self.version)
    client.accept(1, Self.version, 900..<1000)
    client.give(1, Array(Self.end.prefix(60)), at: 900)
    client.end(1, .broken(reason: "reset"))
    #expect(sink.bytes == Array(Self.end.prefix(60)) && sink.ends == [.failed])
  }
}

/// Records what comes of the fetch 2.
private final class PieceSink: FetchSink {
  private let state = Locked(
    (begun: [ByteRange](), bytes: [UInt8](), ends: [FetchEnd]()))

  var begun: [ByteRange] { state.withLock { $0.begun } }
  var bytes: [UInt8] { state.withLock { $0.bytes } }
  var ends: [FetchEnd] { state.withLock { $0.ends } }

  func began(_ fetch: FetchID, _ representation: Representation, bytes: ByteRange, whole: Bool) {
    if fetch == 2 { state.withLock { $0.begun.append(bytes) } }
  }

  func grows(_ fetch: FetchID, _ body: GrowingBody) {}

  func received(_ bytes: RawSpan, at offset: Int, in fetch: FetchID) {
    guard fetch == 2 else { return }
    state.withLock { state in bytes.withUnsafeBytes { state.bytes += $0 } }
  }

  func rested(_ fetch: FetchID) {}

  func ended(_ fetch: FetchID, _ end: FetchEnd) {
    if fetch == 2 { state.withLock { $0.ends.append(end) } }
  }
}
