import Blocks
import Filling
import Locks
import Streams
import TestSupport
import Testing
import World

@testable import FeedMount
@testable import StreamFiles

/// Slots of transport streams are given while their segments come, and each byte of a segment is asked
/// for once.
@Suite(.timeLimit(.minutes(1)))
final class SlotMakingTests {
  private static let segments = 3

  private let site = PortionedSite()
  private let world = SimulatedWorld(seed: 0)
  /// Makes an origin of the film, of which this version is known.
  private let make: @Sendable (Representation?) -> StreamOrigin
  private let origin: StreamOrigin
  private let truth: [UInt8]
  private let version: Representation

  init() throws {
    var list = "#EXTM3U\n#EXT-X-TARGETDURATION:13\n"
    for number in 0..<Self.segments {
      list += "#EXTINF:12.8,\ns\(number).ts\n"
      site.put(TransportSound.segments[number], at: "http://o/s\(number).ts")
    }
    site.site.put(list + "#EXT-X-ENDLIST\n", at: "http://o/v.m3u8")
    let maker = StreamMaker(
      pieces: PieceClient(client: site, feed: nil, tasks: world.tasks),
      queue: world.jobs.queue("films"),
      layouts: SavedLayouts(read: { _ in nil }, write: { _, _ in }), wishes: StreamWishes(),
      wall: .real)
    make = { expected in
      maker.origin(expected: expected, before: nil) { finder, _ in
        try await finder.source(at: PiecePlace(address: "http://o/v.m3u8"))
      }
    }
    let whole = Fetch(1, of: 0..<1 << 30, from: make(nil))
    world.settle()
    #expect(whole.hasAll)
    version = try #require(whole.version)
    truth = whole.bytes
    site.site.forgetLog()
    origin = make(version)
    // The layout is known now.
    _ = Fetch(2, of: 0..<1, from: origin)
    world.settle()
    site.portion()
  }

  deinit { world.end() }

  /// A fetch on its way.
  private final class Fetch: Sendable {
    let recorder = FetchRecorder()
    private let end = Locked<PieceError??>(nil)
    let id: FetchID

    init(
      _ number: Int, of range: ByteRange, from origin: StreamOrigin, _ urgency: Urgency = .demand
    ) {
      id = FetchID(number)
      origin.start(id, of: range, urgency, for: recorder, mayBegin: { _ in true }) {
        [end] trouble in
        end.withLock { $0 = .some(trouble) }
      }
    }

    var bytes: [UInt8] { recorder.outcome.withLock { $0.bytes } }
    var version: Representation? { recorder.outcome.withLock { $0.version } }
    var hasEnded: Bool { end.withLock { $0 != nil } }

    /// Why it ended without all its bytes; nil if it has them, or goes on.
    var trouble: PieceError? { end.withLock { $0 ?? nil } }
    var hasAll: Bool { hasEnded && trouble == nil }
  }

  private func fetch(
    _ number: Int, _ range: ByteRange, from other: StreamOrigin? = nil
  ) -> Fetch {
    let fetch = Fetch(number, of: range, from: other ?? origin)
    world.settle()
    return fetch
  }

  private func give(_ number: Int, _ count: Int) {
    site.give(number, count)
    world.settle()
  }

  private func cancel(_ fetch: Fetch) {
    origin.cancel(fetch.id)
    world.settle()
  }

  /// The place of a slot: each begins on a block.
  private func place(_ slot: Int) throws -> Int {
    try #require(origin.film).layout.places[slot]
  }

  /// Begins a fetch for which a segment is asked for. 200,000 bytes of the segment come.
  private func begun(_ range: ByteRange) -> Fetch {
    let fetch = self.fetch(3, range)
    #expect(site.transfers.count == 1)
    give(0, 200_000)
    return fetch
  }

  @Test func aSlotIsGivenWhileItsSegmentComes() throws {
    let start = try place(1)
    #expect(start % BlockLayout.standardBlockSize == 0)
    let fetch = self.fetch(3, start..<start + 256_000)
    #expect(site.transfers.count == 1)
    #expect(site.transfers[0].url == "http://o/s1.ts")
    give(0, 150_000)
    #expect(fetch.bytes.count >= 64 << 10)
    give(0, 200_000)
    #expect(fetch.hasAll)
    #expect(fetch.bytes == Array(truth[start..<start + 256_000]))
    #expect(site.transfers.count == 1)
  }

  /// The making goes on for the next fetch, as little of the segment is missing.
  @Test func theNextFetchGoesOnInTheSameSegment() throws {
    let start = try place(1)
    let first = begun(start..<start + 64_000)
    #expect(first.hasAll)
    let next = fetch(4, start + 64_000..<start + 300_000)
    give(0, 1 << 20)
    #expect(next.hasAll)
    #expect(first.bytes + next.bytes == Array(truth[start..<start + 300_000]))
    #expect(site.transfers.count == 1 && !site.transfers[0].isCancelled)
  }

  @Test func aFetchThatHasEndedIsForgotten() throws {
    let start = try place(1)
    weak var recorder: FetchRecorder?
    do {
      let fetch = begun(start..<start + 64_000)
      recorder = fetch.recorder
      #expect(fetch.hasAll && recorder != nil)
    }
    #expect(recorder == nil)
  }

  /// In a pause no fetch follows, and nothing else would end the request.
  @Test func whatNobodyWantsEndsAfterAMomentAndGoesOnWhereItWas() throws {
    let start = try place(1)
    let first = begun(start..<start + 64_000)
    #expect(first.hasAll && !site.transfers[0].isCancelled)
    world.advance(by: .milliseconds(999))
    world.settle()
    #expect(!site.transfers[0].isCancelled)
    world.advance(by: .milliseconds(1))
    world.settle()
    #expect(site.transfers[0].isCancelled)
    let next = fetch(4, start + 64_000..<start + 300_000)
    #expect(site.transfers.count == 2)
    #expect(site.transfers[1].range.lowerBound == 200_000)
    give(1, 1 << 20)
    #expect(next.hasAll)
    #expect(first.bytes + next.bytes == Array(truth[start..<start + 300_000]))
  }

  @Test func whatNobodyWantsEndsAtOnceWhenTheFilmIsClosed() throws {
    let start = try place(1)
    let only = begun(start..<start + 64_000)
    #expect(only.hasAll)
    #expect(!site.transfers[0].isCancelled)
    origin.endIdleWork()
    world.settle()
    #expect(site.transfers[0].isCancelled)
  }

  /// A seek away ends the request. What came is not asked for again.
  @Test func aSeekAwayEndsARequestAndASeekBackGoesOnWhereItWas() throws {
    let start = try place(1)
    let first = begun(start..<start + 300_000)
    #expect(!first.bytes.isEmpty)
    cancel(first)
    #expect(first.trouble != nil)
    #expect(site.transfers[0].isCancelled)
    let again = fetch(4, start..<start + 300_000)
    #expect(site.transfers.count == 2)
    #expect(site.transfers[1].range.lowerBound == 200_000)
    give(1, 1 << 20)
    #expect(again.hasAll)
    #expect(again.bytes == Array(truth[start..<start + 300_000]))
  }

  /// A segment is read on until it shows the tracks that its tables name.
  @Test func whatToldTheTracksIsNotAskedForAgain() throws {
    let start = try place(0)
    let asked = site.site.log.filter { $0.url == "http://o/s0.ts" }.compactMap(\.range)
    #expect(zip(asked, asked.dropFirst()).allSatisfy { $0.upperBound == $1.lowerBound })
    #expect(asked.first?.lowerBound == 0)
    let fetch = self.fetch(3, start..<start + 200_000)
    #expect(site.transfers.count == 1)
    #expect(site.transfers[0].url == "http://o/s0.ts")
    #expect(site.transfers[0].range.lowerBound == asked.last?.upperBound)
    give(0, 1 << 20)
    #expect(fetch.hasAll)
    #expect(fetch.bytes == Array(truth[start..<start + 200_000]))
    #expect(site.transfers.count == 1)
  }

  @Test func serversThatNameOneVersionByOtherTagsGiveTheSameFilm() throws {
    site.portion(false)
    site.site.tagEachAnswer()
    let fetch = self.fetch(3, 0..<1 << 30, from: make(nil))
    #expect(fetch.hasAll)
    #expect(fetch.bytes == truth && fetch.version == version)
  }

  /// No slot is made of bytes of two versions.
  @Test func ofAnotherVersionASegmentIsAskedForFromItsBeginning() throws {
    let start = try place(1)
    let first = begun(start..<start + 300_000)
    #expect(!first.bytes.isEmpty)
    cancel(first)
    #expect(site.transfers[0].isCancelled)
    site.changeTags()
    let again = fetch(4, start..<start + 300_000)
    #expect(site.transfers.count == 3)
    #expect(site.transfers[1].range.lowerBound == 200_000 && site.transfers[1].isCancelled)
    #expect(site.transfers[2].range.lowerBound == 0)
    give(2, 1 << 20)
    #expect(again.hasAll)
    #expect(again.bytes == Array(truth[start..<start + 300_000]))
  }

  /// A server names no versions: only bytes tell whether the rest of a segment is of the same one.
  @Test(arguments: [false, true])
  func withoutTagsTheRestOfASegmentIsProvedByItsBeginning(isWrittenOver: Bool) throws {
    site.dropTags()
    let start = try place(1)
    let first = begun(start..<start + 300_000)
    #expect(!first.bytes.isEmpty)
    cancel(first)
    #expect(site.transfers[0].isCancelled)
    if isWrittenOver { site.put(TransportSound.segment(1, salt: 9), at: "http://o/s1.ts") }
    let again = fetch(4, start..<start + 300_000)
    #expect(site.transfers.count == 3)
    #expect(site.transfers[1].range.lowerBound == 200_000)
    #expect(site.transfers[2].range == 0..<SegmentBeginning.size)
    give(1, 1 << 20)
    if isWrittenOver { site.portion(false) }
    give(2, 1 << 20)
    let end = again.trouble?.end
    #expect(end == (isWrittenOver ? .changed : nil))
    #expect(truth[start...].starts(with: again.bytes))
    #expect(isWrittenOver || again.bytes.count == 300_000)
  }

  /// A damaged answer may look like a stream that no film can hold.
  @Test func aSlotThatCannotBeMadeIsAskedForOnceMoreAtOnce() throws {
    let start = try place(1)
    let fetch = self.fetch(3, start..<start + 300_000)
    site.scramble("http://o/s1.ts", from: 188 * 600)
    give(0, 1 << 20)
    #expect(!fetch.hasEnded && site.transfers.count == 2)
    #expect(site.transfers[1].range.lowerBound == 0)
    site.scramble("http://o/s1.ts", from: nil)
    give(1, 1 << 20)
    #expect(fetch.hasAll && fetch.bytes == Array(truth[start..<start + 300_000]))
  }

  /// The reader gets the reason, and the bytes in front. It costs no request for a moment.
  @Test func aSlotThatCannotBeMadeOfTwoAnswersIsLostForAMoment() throws {
    let (front, start) = (try place(0), try place(1))
    site.scramble("http://o/s1.ts", from: 188 * 600)
    let first = fetch(3, front..<start + 300_000)
    for number in 0..<4 where number < site.transfers.count { give(number, 1 << 20) }
    let trouble = try #require(first.trouble)
    #expect(trouble.end == .impossible && trouble.words?.contains("encrypted") ?? false)
    #expect(first.bytes.count >= start - front)
    #expect(truth[front...].starts(with: first.bytes))

    let asked = site.transfers.count
    let again = fetch(4, start..<start + 300_000)
    #expect(again.trouble == trouble && site.transfers.count == asked)
    let behind = fetch(5, try place(2)..<place(2) + 1000)
    give(asked, 1 << 20)
    #expect(behind.hasAll)

    site.scramble("http://o/s1.ts", from: nil)
    world.advance(by: .milliseconds(500))
    let later = fetch(6, start..<start + 300_000)
    give(asked + 1, 1 << 20)
    #expect(later.hasAll && later.bytes == Array(truth[start..<start + 300_000]))
  }

  @Test func ofAWholeThatComesInThePlaceOfARangeTheRangeIsTaken() throws {
    let start = try place(1)
    let first = begun(start..<start + 300_000)
    cancel(first)
    site.sendWholes()
    let again = fetch(4, start..<start + 300_000)
    #expect(site.transfers[1].range.lowerBound == 200_000)
    for _ in 0..<10 { give(1, 70_000) }
    #expect(again.hasAll && again.bytes == Array(truth[start..<start + 300_000]))
  }

  @Test func aPromotedFetchPromotesItsRequest() throws {
    let start = try place(1)
    let ahead = Fetch(3, of: start..<start + 300_000, from: origin, .ahead)
    world.settle()
    #expect(!site.transfers[0].isPromoted)
    origin.promote(ahead.id)
    world.settle()
    #expect(site.transfers[0].isPromoted)
  }

  @Test func aFetchElsewhereEndsWhatNobodyWants() throws {
    let start = try place(1)
    let first = begun(start..<start + 64_000)
    #expect(first.hasAll && !site.transfers[0].isCancelled)
    let elsewhere = try place(2)
    let second = fetch(4, elsewhere..<elsewhere + 64_000)
    #expect(site.transfers.count == 2 && site.transfers[0].isCancelled)
    give(1, 200_000)
    #expect(second.hasAll)
    #expect(second.bytes == Array(truth[elsewhere..<elsewhere + 64_000]))
  }

  /// Fetches come, go and are cancelled at any moment; those that end have the right bytes.
  @Test(arguments: 0..<4) func fetchesAtAnyPlacesGetTheRightBytes(seed: UInt64) throws {
    site.portion(false)
    var random = SeededRandom(seed: seed)
    var fetches: [(fetch: Fetch, range: ByteRange)] = []
    for number in 10..<400 {
      let start = random.below(truth.count)
      let range = start..<min(truth.count, start + 1 + random.below(200_000))
      fetches.append((Fetch(number, of: range, from: origin), range))
      if random.chance(50) { world.executor.run() }
      for _ in 0..<random.below(4) { world.jobs.runNext() }
      if random.chance(50) { origin.cancel(fetches[random.below(fetches.count)].fetch.id) }
    }
    world.settle()
    var whole = 0
    for (fetch, range) in fetches {
      let isRight = truth[range].starts(with: fetch.bytes)
      #expect(isRight && fetch.hasEnded)
      #expect(fetch.trouble != nil || fetch.bytes.count == range.count)
      whole += fetch.hasAll ? 1 : 0
    }
    #expect(whole > 50)
  }

  /// An answer that breaks off may have been wrong at its end.
  @Test func afterABreakTheSegmentIsAskedForFromItsBeginning() throws {
    let start = try place(1)
    let first = begun(start..<start + 300_000)
    #expect(!first.bytes.isEmpty)
    site.cut(0)
    world.settle()
    #expect(first.trouble != nil)
    #expect(truth[start...].starts(with: first.bytes))
    let again = fetch(4, start..<start + 300_000)
    #expect(site.transfers.count == 2)
    #expect(site.transfers[1].range.lowerBound == 0)
    give(1, 1 << 20)
    #expect(again.hasAll)
    #expect(again.bytes == Array(truth[start..<start + 300_000]))
  }
}
