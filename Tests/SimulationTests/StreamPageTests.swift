import FeedReading
import Filling
import Foundation
import Logging
import Locks
import Storage
import Streams
import SystemPackage
import Testing

@testable import FeedMount
@testable import Resolving
@testable import StreamFiles
@testable import World

/// Pages behind which a stream lies: addresses that expire, and streams that are refused.
@Suite(.timeLimit(.minutes(1)))
final class StreamPageTests {
  private static let page = "https://site.example/watch"

  /// Answers with the playlist of the present number.
  private final class Finder: MediaFinder {
    let number = Locked(1)
    let asked = Locked(0)

    func find(_ page: String) async -> FinderAnswer {
      asked.withLock { $0 += 1 }
      var format = PageFormat(url: "http://o/v\(number.withLock { $0 }).m3u8")
      format.isStream = true
      var media = PageMedia()
      media.formats = [format]
      return .media(media)
    }

    func turn(isOpen: Bool) {}
  }

  private let site = MemorySite()
  private let finder = Finder()
  private let clock = Locked(1000)
  private let folder = NSTemporaryDirectory() + "stream-page-\(UUID().uuidString)"

  deinit {
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// A clock that a test moves.
  private struct Clock: TaskClock {
    let seconds: Locked<Int>

    var now: Duration { .seconds(seconds.withLock { $0 }) }
    func sleep(for time: Duration) async throws {}
  }

  private func origin() -> HTTPOrigin {
    let clock = clock
    let tasks = Tasks(executor: nil, clock: Clock(seconds: clock))
    let wall = WallClock { clock.withLock { $0 } * 1_000_000 }
    let place = FilePath(folder)
    let resolver = Resolver(
      finder, choosing: MediaChoice(), ledger: Ledger(in: place, on: .real),
      pages: ResolvedPages(
        in: place, on: .real, resolver: ["r"], media: MediaChoice()),
      turns: ResolutionTurns(), wall: wall, tasks: tasks, jobs: DispatchJobs("test"))
    let pieces = PieceClient(client: site, feed: nil, tasks: tasks)
    let needs = OriginNeeds(
      client: site, resolver: resolver,
      failures: Failures(
        now: { clock.withLock { $0 } },
        Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }),
      films: StreamMaker(
        pieces: pieces, queue: DispatchJobs("films"),
        layouts: SavedLayouts(read: { _ in nil }, write: { _, _ in }),
        wishes: StreamWishes(), wall: .real),
      tasks: tasks)
    let choice = AddressChoice(
      of: Candidates([Self.page], current: Self.page), isPage: true, streams: StreamAddresses())
    return HTTPOrigin(choice, with: needs) { _ in }
  }

  /// Serves the stream at other addresses, and has those before expire.
  private func move(to number: Int) {
    SoundStream.serve(on: site, at: "http://o/v\(number).m3u8", token: "\(number)")
    for segment in 0..<SoundStream.segments {
      site.answer("http://o/s\(segment).aac?t=\(number - 1)", with: 403)
    }
    finder.number.withLock { $0 = number }
  }

  @Test func addressesThatExpireTwiceAreFoundAnewTwice() async {
    move(to: 1)
    let whole = await origin().fetch(0..<1 << 30, as: 1)
    #expect(whole.end == .complete)
    finder.asked.withLock { $0 = 0 }
    let origin = origin()
    var bytes = await origin.fetch(0..<100, as: 1).bytes
    // Each part lies in segments that were not read before.
    for (number, end) in [(2, 30_000), (3, whole.bytes.count)] {
      move(to: number)
      clock.withLock { $0 += 60 }
      let outcome = await origin.fetch(bytes.count..<end, as: number)
      #expect(outcome.end == .complete, "\(number)")
      bytes += outcome.bytes
    }
    #expect(bytes == whole.bytes)
    // The answer of the first origin may be known, since both have the same folder.
    #expect(finder.asked.withLock { $0 } >= 2)
  }

  @Test func aLiveStreamIsRefusedAndLookedAtAgainAfterAMinute() async {
    let playlist = "http://o/v1.m3u8"
    site.put("#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\ns0.aac\n", at: playlist)
    let origin = origin()
    for number in 1...3 {
      #expect(await origin.fetch(0..<100, as: number).end == .blocked)
      #expect(origin.trouble == StreamSource.live && origin.isHopeless)
    }
    #expect(site.log.count == 1)
    // It has ended.
    SoundStream.serve(on: site, at: playlist, token: "1")
    clock.withLock { $0 += Refusal.liveMemory + 1 }
    #expect(await origin.fetch(0..<100, as: 4).end == .complete)
  }

  @Test func aLoginPageInThePlaceOfAPlaylistThatWasReadIsAPassingFault() async {
    move(to: 1)
    let origin = origin()
    #expect(await origin.fetch(0..<100, as: 1).end == .complete)
    move(to: 2)
    site.put("<html><body>Log in</body></html>", at: "http://o/v2.m3u8")
    #expect(await origin.fetch(0..<1 << 30, as: 2).end == .mayBeGone)
  }
}
