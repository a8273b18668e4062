import Blocks
import NIOConcurrencyHelpers
import Streaming
import Streams
import TestSupport
import Testing

@testable import FeedMount

/// Slots of transport streams are given while their segments come, and each byte of a segment is asked
/// for once.
@Suite(.timeLimit(.minutes(1)))
final class SlotMakingTests {
  /// A clock that stands until a test lets it go on.
  private final class Clock: TaskClock {
    private let waiters = NIOLockedValueBox<[CheckedContinuation<Void, Never>]>([])

    var now: Duration { .zero }

    func sleep(for time: Duration) async throws {
      await withCheckedContinuation { waiter in waiters.withLockedValue { $0.append(waiter) } }
    }

    func goesOn() {
      let all = waiters.withLockedValue { waiters in
        defer { waiters = [] }
        return waiters
      }
      for waiter in all { waiter.resume() }
    }
  }

  private static let segments = 3

  private let site = PortionedSite()
  private let clock = Clock()
  /// Makes an origin of the film, of which this version is known.
  private let make: @Sendable (Representation?) -> StreamOrigin
  private let origin: StreamOrigin
  private let truth: [UInt8]
  private let version: Representation

  init() async throws {
    var list = "#EXTM3U\n#EXT-X-TARGETDURATION:13\n"
    for number in 0..<Self.segments {
      list += "#EXTINF:12.8,\ns\(number).ts\n"
      site.put(TransportSound.segment(number), at: "http://o/s\(number).ts")
    }
    site.site.put(list + "#EXT-X-ENDLIST\n", at: "http://o/v.m3u8")
    let maker = StreamMaker(
      pieces: PieceClient(
        client: site, feed: nil, tasks: Tasks(executor: nil, clock: clock)),
      layouts: StoredLayouts(read: { _ in nil }, write: { _, _ in }), wishes: StreamWishes())
    make = { expected in
      maker.origin(expected: expected, before: nil) { finder, _ in
        try await finder.source(at: PiecePlace(address: "http://o/v.m3u8"))
      }
    }
    let whole = Fetch(1, of: 0..<1 << 30, from: make(nil))
    #expect(await whole.trouble() == nil)
    version = try #require(whole.version)
    truth = whole.bytes
    site.site.forgetLog()
    origin = make(version)
    // The layout is known now.
    _ = await Fetch(2, of: 0..<1, from: origin).trouble()
    site.portion()
  }

  deinit {
    clock.goesOn()
  }

  /// A fetch on its way.
  private final class Fetch: Sendable {
    private let recorder = FetchRecorder()
    private let end = NIOLockedValueBox<StreamTrouble??>(nil)
    let id: FetchID

    init(_ number: Int, of range: ByteRange, from origin: StreamOrigin) {
      id = FetchID(number)
      origin.start(id, of: range, .demand, for: recorder, mayBegin: { _ in true }) {
        [end] trouble in
        end.withLockedValue { $0 = .some(trouble) }
      }
    }

    var bytes: [UInt8] { recorder.outcome.withLockedValue { $0.bytes } }
    var version: Representation? { recorder.outcome.withLockedValue { $0.version } }
    var hasEnded: Bool { end.withLockedValue { $0 != nil } }

    func trouble() async -> StreamTrouble? {
      await until { hasEnded }
      return end.withLockedValue { $0 ?? nil }
    }
  }

  private func eventually(_ isSo: () -> Bool) async -> Bool {
    for _ in 0..<1_000_000 {
      if isSo() { return true }
      await Task.yield()
    }
    return false
  }

  /// The place of a slot: each begins on a block.
  private func place(_ slot: Int) throws -> Int {
    try #require(origin.film).layout.places[slot]
  }

  /// Begins a fetch for which a segment is asked for. 200,000 bytes of the segment come.
  private func begun(_ range: ByteRange) async -> Fetch {
    let fetch = Fetch(3, of: range, from: origin)
    #expect(await eventually { site.transfers.count == 1 })
    site.give(0, 200_000)
    return fetch
  }

  @Test func aSlotIsGivenWhileItsSegmentComes() async throws {
    let start = try place(1)
    #expect(start % BlockLayout.standardBlockSize == 0)
    let fetch = Fetch(3, of: start..<start + 256_000, from: origin)
    #expect(await eventually { site.transfers.count == 1 })
    #expect(site.transfers[0].url == "http://o/s1.ts")
    site.give(0, 150_000)
    #expect(await eventually { fetch.bytes.count >= 64 << 10 })
    site.give(0, 200_000)
    #expect(await fetch.trouble() == nil)
    #expect(fetch.bytes == Array(truth[start..<start + 256_000]))
    #expect(site.transfers.count == 1)
  }

  /// The making goes on for the next fetch, as little of the segment is missing.
  @Test func theNextFetchGoesOnInTheSameSegment() async throws {
    let start = try place(1)
    let first = await begun(start..<start + 64_000)
    #expect(await first.trouble() == nil)
    let next = Fetch(4, of: start + 64_000..<start + 300_000, from: origin)
    site.give(0, 1 << 20)
    #expect(await next.trouble() == nil)
    #expect(first.bytes + next.bytes == Array(truth[start..<start + 300_000]))
    #expect(site.transfers.count == 1 && !site.transfers[0].isCancelled)
  }

  /// In a pause no fetch follows, and nothing else would end the request.
  @Test func whatNobodyWantsEndsAfterAMomentAndGoesOnWhereItWas() async throws {
    let start = try place(1)
    let first = await begun(start..<start + 64_000)
    #expect(await first.trouble() == nil && !site.transfers[0].isCancelled)
    #expect(
      await eventually {
        clock.goesOn()
        return site.transfers[0].isCancelled
      })
    let next = Fetch(4, of: start + 64_000..<start + 300_000, from: origin)
    #expect(await eventually { site.transfers.count == 2 })
    #expect(site.transfers[1].range.lowerBound == 200_000)
    site.give(1, 1 << 20)
    #expect(await next.trouble() == nil)
    #expect(first.bytes + next.bytes == Array(truth[start..<start + 300_000]))
  }

  @Test func whatNobodyWantsEndsAtOnceWhenTheFilmIsClosed() async throws {
    let start = try place(1)
    let only = await begun(start..<start + 64_000)
    #expect(await only.trouble() == nil)
    #expect(!site.transfers[0].isCancelled)
    origin.rest()
    #expect(await eventually { site.transfers[0].isCancelled })
  }

  /// A seek away ends the request. What came is not asked for again.
  @Test func aSeekAwayEndsARequestAndASeekBackGoesOnWhereItWas() async throws {
    let start = try place(1)
    let first = await begun(start..<start + 300_000)
    #expect(await eventually { !first.bytes.isEmpty })
    origin.cancel(first.id)
    #expect(await first.trouble() != nil)
    #expect(await eventually { site.transfers[0].isCancelled })
    let again = Fetch(4, of: start..<start + 300_000, from: origin)
    #expect(await eventually { site.transfers.count == 2 })
    #expect(site.transfers[1].range.lowerBound == 200_000)
    site.give(1, 1 << 20)
    #expect(await again.trouble() == nil)
    #expect(again.bytes == Array(truth[start..<start + 300_000]))
  }

  /// A segment is read on until it shows the tracks that its tables name.
  @Test func whatToldTheTracksIsNotAskedForAgain() async throws {
    let start = try place(0)
    let asked = site.site.log.filter { $0.url == "http://o/s0.ts" }.compactMap(\.range)
    #expect(zip(asked, asked.dropFirst()).allSatisfy { $0.upperBound == $1.lowerBound })
    #expect(asked.first?.lowerBound == 0)
    let fetch = Fetch(3, of: start..<start + 200_000, from: origin)
    #expect(await eventually { site.transfers.count == 1 })
    #expect(site.transfers[0].url == "http://o/s0.ts")
    #expect(site.transfers[0].range.lowerBound == asked.last?.upperBound)
    site.give(0, 1 << 20)
    #expect(await fetch.trouble() == nil)
    #expect(fetch.bytes == Array(truth[start..<start + 200_000]))
    #expect(site.transfers.count == 1)
  }

  @Test func serversThatNameOneVersionByOtherTagsGiveTheSameFilm() async throws {
    site.portion(false)
    site.site.tagEachAnswer()
    let fetch = Fetch(3, of: 0..<1 << 30, from: make(nil))
    #expect(await fetch.trouble() == nil)
    #expect(fetch.bytes == truth && fetch.version == version)
  }

  /// No slot is made of bytes of two versions.
  @Test func ofAnotherVersionASegmentIsAskedForFromItsBeginning() async throws {
    let start = try place(1)
    let first = await begun(start..<start + 300_000)
    #expect(await eventually { !first.bytes.isEmpty })
    origin.cancel(first.id)
    #expect(await eventually { site.transfers[0].isCancelled })
    site.changeTags()
    let again = Fetch(4, of: start..<start + 300_000, from: origin)
    #expect(await eventually { site.transfers.count == 3 })
    #expect(site.transfers[1].range.lowerBound == 200_000 && site.transfers[1].isCancelled)
    #expect(site.transfers[2].range.lowerBound == 0)
    site.give(2, 1 << 20)
    #expect(await again.trouble() == nil)
    #expect(again.bytes == Array(truth[start..<start + 300_000]))
  }

  /// A server names no versions: only bytes tell whether the rest of a segment is of the same one.
  @Test(arguments: [false, true])
  func withoutTagsTheRestOfASegmentIsProvedByItsBeginning(isWrittenOver: Bool) async throws {
    site.dropTags()
    let start = try place(1)
    let first = await begun(start..<start + 300_000)
    #expect(await eventually { !first.bytes.isEmpty })
    origin.cancel(first.id)
    #expect(await eventually { site.transfers[0].isCancelled })
    if isWrittenOver { site.put(TransportSound.segment(1, salt: 9), at: "http://o/s1.ts") }
    let again = Fetch(4, of: start..<start + 300_000, from: origin)
    #expect(await eventually { site.transfers.count == 3 })
    #expect(site.transfers[1].range.lowerBound == 200_000)
    #expect(site.transfers[2].range == 0..<SegmentBeginning.size)
    site.give(1, 1 << 20)
    if isWrittenOver { site.portion(false) }
    site.give(2, 1 << 20)
    let end = await again.trouble()?.end
    #expect(end == (isWrittenOver ? .changed : nil))
    #expect(truth[start...].starts(with: again.bytes))
    #expect(isWrittenOver || again.bytes.count == 300_000)
  }

  @Test func aFetchElsewhereEndsWhatNobodyWants() async throws {
    let start = try place(1)
    let first = await begun(start..<start + 64_000)
    #expect(await first.trouble() == nil && !site.transfers[0].isCancelled)
    let elsewhere = try place(2)
    let second = Fetch(4, of: elsewhere..<elsewhere + 64_000, from: origin)
    #expect(await eventually { site.transfers.count == 2 && site.transfers[0].isCancelled })
    site.give(1, 200_000)
    #expect(await second.trouble() == nil)
    #expect(second.bytes == Array(truth[elsewhere..<elsewhere + 64_000]))
  }

  /// Fetches come, go and are cancelled at any moment; those that end have the right bytes.
  @Test(arguments: 0..<4) func fetchesAtAnyPlacesGetTheRightBytes(seed: UInt64) async throws {
    site.portion(false)
    var random = SeededRandom(seed: seed)
    var fetches: [(fetch: Fetch, range: ByteRange)] = []
    for number in 10..<400 {
      let start = random.below(truth.count)
      let range = start..<min(truth.count, start + 1 + random.below(200_000))
      fetches.append((Fetch(number, of: range, from: origin), range))
      for _ in 0..<random.below(60) { await Task.yield() }
      if random.chance(50) { origin.cancel(fetches[random.below(fetches.count)].fetch.id) }
    }
    var whole = 0
    for (fetch, range) in fetches {
      let trouble = await fetch.trouble()
      let isRight = truth[range].starts(with: fetch.bytes)
      #expect(isRight && (trouble != nil || fetch.bytes.count == range.count))
      whole += trouble == nil ? 1 : 0
    }
    #expect(whole > 50)
  }

  /// An answer that breaks off may have been wrong at its end.
  @Test func afterABreakTheSegmentIsAskedForFromItsBeginning() async throws {
    let start = try place(1)
    let first = await begun(start..<start + 300_000)
    #expect(await eventually { !first.bytes.isEmpty })
    site.cut(0)
    #expect(await first.trouble() != nil)
    #expect(truth[start...].starts(with: first.bytes))
    let again = Fetch(4, of: start..<start + 300_000, from: origin)
    #expect(await eventually { site.transfers.count == 2 })
    #expect(site.transfers[1].range.lowerBound == 0)
    site.give(1, 1 << 20)
    #expect(await again.trouble() == nil)
    #expect(again.bytes == Array(truth[start..<start + 300_000]))
  }
}
