import Blocks
import Filling
import Locks
import Streams
import TestSupport
import Testing

@testable import FeedMount
@testable import StreamFiles
@testable import World

/// A stream as the origin of a version: layouts, addresses that expire, parts that are gone.
@Suite(.timeLimit(.minutes(1)))
struct StreamOriginTests {
  private static let playlist = "http://o/v.m3u8"
  private static let segments = SoundStream.segments

  private let site = MemorySite()
  private let documents = Locked<[String: [UInt8]]>([:])

  init() {
    serve(token: "a")
  }

  private func serve(token: String, changed: Int? = nil) {
    SoundStream.serve(on: site, at: Self.playlist, token: token, changed: changed)
  }

  private func origin(expected: Representation? = nil) -> StreamOrigin {
    site.stream(expected: expected, keeping: documents)
  }

  @Test func anyOrderOfFetchesBringsTheSameBytes() async throws {
    let whole = await origin().fetch(0..<1 << 30)
    let length = try #require(whole.version).length
    #expect(whole.bytes.count == length && whole.trouble == nil)
    let other = origin()
    var parts: [Int: [UInt8]] = [:]
    for (number, start) in stride(from: 0, to: length, by: 9_999).reversed().enumerated() {
      let part = await other.fetch(start..<start + 9_999, as: number + 1)
      #expect(part.trouble == nil && part.version == whole.version)
      parts[start] = part.bytes
    }
    #expect(parts.sorted { $0.key < $1.key }.flatMap(\.value) == whole.bytes)
  }

  @Test func theLengthIsKnownBeforeTheFragmentsAre() async throws {
    let outcome = await origin().fetch(0..<1)
    #expect(try #require(outcome.version).length > 60_000 && outcome.bytes.count == 1)
    // The first segment tells the tracks.
    let asked = site.log.compactMap(\.range).filter { $0.count > SegmentBeginning.size }
    #expect(asked.count == 1)
  }

  @Test func aFetchBehindTheEndTellsTheLength() async throws {
    let origin = origin()
    let length = try #require(await origin.fetch(0..<10).version).length
    let trouble = await origin.fetch(length..<length + 1, as: 2).trouble
    #expect(trouble?.end == .unsatisfiable(length: length))
  }

  @Test func allFetchesLearnTheLayoutOnce() async {
    let origin = origin()
    await withTaskGroup(of: Void.self) { group in
      for number in 1...8 { group.addTask { _ = await origin.fetch(0..<100, as: number) } }
    }
    #expect(site.log.count { $0.range == nil } == 1)
    #expect(site.log.count { $0.range?.count == SegmentBeginning.size } == Self.segments - 1)
  }

  @Test func aStoredLayoutCostsNoSizes() async throws {
    let whole = await origin().fetch(0..<1 << 30)
    site.forgetLog()
    let again = origin(expected: whole.version)
    #expect(await again.fetch(0..<1 << 30).bytes == whole.bytes)
    #expect(site.log.count == 1 + Self.segments)
  }

  @Test func aStoredLayoutThatIsDamagedIsLearnedAgain() async {
    let whole = await origin().fetch(0..<1 << 30)
    documents.withLock { documents in
      for name in documents.keys { documents[name]?[100] ^= 1 }
    }
    #expect(await origin(expected: whole.version).fetch(0..<1 << 30).bytes == whole.bytes)
  }

  @Test func addressesThatExpireAreFoundAnewInTheSameFetch() async {
    let whole = await origin().fetch(0..<1 << 30)
    let origin = origin()
    _ = await origin.fetch(0..<100)
    for number in 2..<Self.segments { site.answer("http://o/s\(number).aac?t=a", with: 403) }
    serve(token: "b")
    let outcome = await origin.fetch(0..<1 << 30, as: 2)
    #expect(outcome.trouble == nil && outcome.bytes == whole.bytes)
  }

  @Test func aPartThatIsGoneFailsAloneAndIsNoVerdict() async throws {
    let origin = origin()
    _ = await origin.fetch(0..<100)
    site.answer("http://o/s3.aac?t=a", with: 404)
    let outcome = await origin.fetch(0..<1 << 30, as: 2)
    let trouble = try #require(outcome.trouble)
    #expect(trouble.end == .failed && !trouble.isVerdict)
    #expect(trouble.words?.contains("gone") ?? false)
    #expect(!outcome.bytes.isEmpty)
    let length = try #require(outcome.version).length
    #expect(await origin.fetch(length - 100..<length, as: 3).trouble == nil)
  }

  @Test func otherSegmentsAreAnotherVersion() async {
    let origin = origin()
    _ = await origin.fetch(0..<100)
    serve(token: "a", changed: 4)
    #expect(await origin.fetch(0..<1 << 30, as: 2).trouble?.end == .changed)
  }

  @Test func aPlaylistWithTheSameSegmentsIsTheSameVersion() async {
    let whole = await origin().fetch(0..<1 << 30)
    serve(token: "other")
    let outcome = await origin(expected: whole.version).fetch(0..<1 << 30)
    #expect(outcome.version == whole.version && outcome.bytes == whole.bytes)
  }

  @Test func aCancelledFetchLeavesTheLearningOfTheLayoutRunning() async {
    let origin = origin()
    site.holdBack()
    let sink = FetchRecorder()
    let hasEnded = await withCheckedContinuation { continuation in
      origin.start(
        1, of: 0..<100, .demand, for: sink, mayBegin: { _ in true },
        ended: { continuation.resume(returning: $0) })
      origin.cancel(1)
      Task {
        await until { site.log.count > Self.segments }
        site.goOn()
      }
    }
    #expect(hasEnded?.end == .unanswered || hasEnded == nil)
    #expect(await origin.fetch(0..<100, as: 2).trouble == nil)
    #expect(site.log.count { $0.range == nil } == 1)
  }

  @Test func howFarTheLayoutIsLearnedIsTold() async {
    let origin = origin()
    site.holdBack()
    let sink = FetchRecorder()
    origin.start(1, of: 0..<100, .demand, for: sink, mayBegin: { _ in true }, ended: { _ in })
    await until { site.log.count > Self.segments }
    #expect(origin.progress == .init(answered: 0, requests: Self.segments))
    site.goOn()
    _ = await origin.fetch(0..<100, as: 2)
    #expect(origin.progress == nil)
  }

  @Test func anEmptySegmentIsAGap() async throws {
    site.put([], at: "http://o/s2.aac?t=a")
    let outcome = await origin().fetch(0..<1 << 30)
    #expect(outcome.trouble == nil)
    #expect(try outcome.bytes.count == #require(outcome.version).length)
  }

  @Test(arguments: [segments / 2 + 1, segments - 1])
  func anOriginThatLosesMostSegmentsMakesNoFilmOfTheRest(count: Int) async {
    let whole = await origin().fetch(0..<1 << 30)
    documents.withLock { $0 = [:] }
    let lost = (Self.segments - count..<Self.segments).map { "http://o/s\($0).aac?t=a" }
    for address in lost { site.answer(address, with: 404) }
    let origin = origin()
    let refused = await origin.fetch(0..<100)
    #expect(refused.version == nil && refused.trouble?.isVerdict == false)
    let words = refused.trouble?.words ?? ""
    #expect(
      words.contains("lacks \(lost.count) of the \(Self.segments) segments"), "\(words)")
    for address in lost { site.answer(address, with: nil) }
    #expect(await self.origin().fetch(0..<1 << 30).bytes == whole.bytes)
  }

  @Test func aFilmMayLackHalfOfItsSegments() async {
    let lost = (Self.segments / 2..<Self.segments).map { "http://o/s\($0).aac?t=a" }
    for address in lost { site.answer(address, with: 404) }
    let outcome = await origin().fetch(0..<1 << 30)
    #expect(outcome.trouble == nil && outcome.bytes.count == outcome.version?.length)
  }

  @Test func aSegmentThatIsRefusedThoughItHasBytesLeavesNoHole() async {
    let whole = await origin().fetch(0..<1 << 30)
    let origin = origin()
    site.answer("http://o/s2.aac?t=a", with: 416)
    let refused = await origin.fetch(0..<100)
    #expect(refused.trouble?.end == .failed && refused.version == nil)
    site.answer("http://o/s2.aac?t=a", with: nil)
    #expect(await origin.fetch(0..<1 << 30, as: 2).bytes == whole.bytes)
  }

  @Test(arguments: [
    ("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nv.m3u8\n", "master playlist"),
    ("#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\ns0.aac\n", "live"),
    ("#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-ENDLIST\n", "segments"),
    ("<MPD type=\"dynamic\"><Period/></MPD>", "live"),
    ("<html><body>Log in</body></html>", "manifest"),
    ("", "does not keep to its format"),
  ])
  func aStreamThatCannotBeReadIsAVerdictInWords(document: String, words: String) async throws {
    site.put(document, at: Self.playlist)
    let trouble = try #require(await origin().fetch(0..<100).trouble)
    #expect(trouble.isVerdict && trouble.end == .blocked)
    #expect(trouble.words?.contains(words) ?? false, "\(trouble.words ?? "")")
    #expect(trouble.isBroadcast == (words == "live"))
  }
}
