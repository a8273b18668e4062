import FeedReading
import Foundation
import Glibc
import Locks
import Storage
import SystemPackage
import TestSupport
import Testing

@testable import FeedMount
@testable import Resolving
@testable import World

/// A finder whose answers the test gives, one by one.
private final class HeldFinder: MediaFinder {
  private let state = Locked(
    (asked: [String](), waiting: [String: CheckedContinuation<FinderAnswer, Never>]()))

  /// The pages that were asked for, in order.
  var asked: [String] { state.withLock { $0.asked } }

  func find(_ page: String) async -> FinderAnswer {
    await withCheckedContinuation { answer in
      state.withLock { state in
        state.asked.append(page)
        state.waiting[page] = answer
      }
    }
  }

  func turn(isOpen: Bool) {}

  /// Answers once the page is asked for.
  func answer(_ page: String, _ finding: FinderAnswer) async {
    while true {
      if let waiting = state.withLock({ $0.waiting.removeValue(forKey: page) }) {
        return waiting.resume(returning: finding)
      }
      await Task.yield()
    }
  }

  func wait(for count: Int) async {
    await until { asked.count >= count }
  }
}

/// The questions of a resolver: how many, in which order, and how long an answer holds.
@Suite(.timeLimit(.minutes(1)))
final class ResolverTests: Sendable {
  private let folder = FilePath(NSTemporaryDirectory() + "feedfs-resolver-\(UUID())")
  private let clock = Locked(1_767_225_600)

  deinit { try? FileManager.default.removeItem(atPath: folder.string) }

  private var wall: WallClock {
    WallClock { [clock] in clock.withLock { $0 } * 1_000_000 }
  }

  private func resolver(
    _ finder: any MediaFinder, _ choice: MediaChoice = MediaChoice(), command: [String] = []
  ) -> Resolver {
    Resolver(
      finder, choosing: choice, ledger: Ledger(in: folder, on: .real),
      pages: ResolvedPages(in: folder, on: .real, resolver: command, media: choice),
      turns: ResolutionTurns(), wall: wall, tasks: .real, jobs: DispatchJobs("test"))
  }

  private func media(_ url: String, expires: Int? = nil) -> FinderAnswer {
    var format = PageFormat(url: url)
    format.expires = expires
    var media = PageMedia()
    media.formats = [format]
    return .media(media)
  }

  private func url(_ outcome: Resolver.Outcome) -> String? {
    if case .found(_, let formats, _, _) = outcome { formats.first?.url } else { nil }
  }

  private func page(_ number: Int, of site: String = "a.example") -> String {
    "https://\(site)/watch/\(number)"
  }

  @Test func anAnswerHoldsUntilItsAddressExpires() async {
    let finder = HeldFinder()
    let resolver = resolver(finder)
    let now = clock.withLock { $0 }
    async let first = resolver.find(page(1), for: .other)
    await finder.answer(page(1), media("https://v.example/1.mp4", expires: now + 60))
    #expect(url(await first) == "https://v.example/1.mp4")

    clock.withLock { $0 += 59 }
    #expect(url(await resolver.find(page(1), for: .other)) == "https://v.example/1.mp4")
    #expect(finder.asked.count == 1)
    clock.withLock { $0 += 1 }
    async let second = resolver.find(page(1), for: .other)
    await finder.answer(page(1), media("https://v.example/2.mp4"))
    #expect(url(await second) == "https://v.example/2.mp4")
    // This address does not say when it expires.
    clock.withLock { $0 += 3599 }
    #expect(url(await resolver.find(page(1), for: .other)) == "https://v.example/2.mp4")
    #expect(finder.asked.count == 2)
  }

  @Test func aRefusedAddressIsAskedForAnewOnceForAll() async {
    let finder = HeldFinder()
    let resolver = resolver(finder)
    async let first = resolver.find(page(1), for: .player)
    await finder.answer(page(1), media("https://v.example/1.mp4"))
    _ = await first
    async let second = resolver.find(page(1), for: .player, insteadOf: "https://v.example/1.mp4")
    await finder.answer(page(1), media("https://v.example/2.mp4"))
    #expect(url(await second) == "https://v.example/2.mp4")
    // A slower fetch hears of the old address only now.
    let third = await resolver.find(page(1), for: .player, insteadOf: "https://v.example/1.mp4")
    #expect(url(third) == "https://v.example/2.mp4")
    #expect(finder.asked.count == 2)
  }

  // MARK: Restarts

  private var saved: String { folder.appending("resolved").string }

  /// Asks for page 1 of a fresh resolver, and waits until the answer is on the disk.
  private func ask(expires: Int, at address: String = "https://v.example/1.mp4?token=s3cret") async
  {
    let finder = HeldFinder()
    let resolver = resolver(finder)
    async let first = resolver.find(page(1), for: .other)
    var format = PageFormat(url: address)
    format.expires = expires
    format.height = 720
    format.picture = .codec("avc1.64001f")
    format.sound = .codec("mp4a.40.2")
    format.headers = ["X-Token": "s3cret"]
    var media = PageMedia()
    media.formats = [format]
    media.subtitles = [Subtitle(url: "https://v.example/1.vtt", type: "text/vtt", lang: "de")]
    await finder.answer(page(1), .media(media))
    #expect(url(await first) == address)
    while !((try? String(contentsOfFile: saved, encoding: .utf8))?.contains("s3cret") ?? false) {
      await Task.yield()
    }
  }

  @Test func anAnswerHoldsThroughARestartUntilItsAddressExpires() async throws {
    let now = clock.withLock { $0 }
    await ask(expires: now + 60)
    var status = stat()
    #expect(stat(saved, &status) == 0 && status.st_mode & 0o7777 == 0o600)

    clock.withLock { $0 += 59 }
    let silent = HeldFinder()
    guard
      case .found(let media, let formats, _, let isNews) =
        await resolver(silent).find(page(1), for: .other)
    else {
      Issue.record("it was not remembered")
      return
    }
    #expect(silent.asked.isEmpty && !isNews)
    #expect(formats.map(\.height) == [720] && formats.map(\.headers) == [["X-Token": "s3cret"]])
    #expect(formats.map(\.picture) == [.codec("avc1.64001f")] && media.subtitles.count == 1)

    clock.withLock { $0 += 1 }
    let finder = HeldFinder()
    let later = resolver(finder)
    async let second = later.find(page(1), for: .other)
    await finder.answer(page(1), self.media("https://v.example/2.mp4"))
    #expect(url(await second) == "https://v.example/2.mp4")
  }

  @Test func anAddressThatWasRefusedIsForgottenByLaterProcessesToo() async {
    await ask(expires: clock.withLock { $0 } + 60)
    let finder = HeldFinder()
    let second = resolver(finder)
    let old = "https://v.example/1.mp4?token=s3cret"
    async let answer = second.find(page(1), for: .player, insteadOf: old)
    await finder.answer(page(1), .failed("gone"))
    _ = await answer
    while (try? String(contentsOfFile: saved, encoding: .utf8))?.contains("s3cret") ?? true {
      await Task.yield()
    }
  }

  @Test(arguments: [
    "", "{", "null", "[]", "{\"format\":1}", "\u{0}\u{1}",
    "{\"format\":1,\"choice\":\"x\",\"pages\":{\"p\":7}}", "FOREIGN",
  ])
  func aDamagedOrForeignFileCountsAsEmpty(text: String) async throws {
    await ask(expires: clock.withLock { $0 } + 60)
    let known = try String(contentsOfFile: saved, encoding: .utf8)
    let other = known.replacing("\"format\":1", with: "\"format\":2")
    #expect(other != known)
    try Data((text == "FOREIGN" ? other : text).utf8).write(to: URL(filePath: saved))
    let finder = HeldFinder()
    let resolver = resolver(finder)
    async let again = resolver.find(page(1), for: .other)
    await finder.answer(page(1), media("https://v.example/2.mp4"))
    #expect(url(await again) == "https://v.example/2.mp4")
  }

  @Test func anotherResolverOrAnotherChoiceAsksAnew() async {
    await ask(expires: clock.withLock { $0 } + 60)
    var small = MediaChoice()
    small.maxHeight = 480
    let others: [(MediaChoice, [String])] = [(small, []), (MediaChoice(), ["yt-dlp"])]
    for (choice, command) in others {
      let finder = HeldFinder()
      let resolver = resolver(finder, choice, command: command)
      async let again = resolver.find(page(1), for: .other)
      await finder.wait(for: 1)
      await finder.answer(page(1), .failed("nothing"))
      _ = await again
    }
  }

  @Test func openersOfOnePageAskOnce() async {
    let finder = HeldFinder()
    let resolver = resolver(finder)
    async let one = resolver.find(page(1), for: .other)
    await finder.wait(for: 1)
    async let two = resolver.find(page(1), for: .other)
    async let three = resolver.find(page(1), for: .player)
    await finder.answer(page(1), media("https://v.example/1.mp4"))
    let urls = await [url(one), url(two), url(three)]
    #expect(urls == Array(repeating: "https://v.example/1.mp4", count: 3))
    #expect(finder.asked.count == 1)
  }

  /// A scanner opens 200 pages. 20 are asked for, one after the other. A player waits for none of them.
  @Test func aScannerOfTwoHundredPagesHoldsUpNoPlayer() async {
    let finder = HeldFinder()
    let resolver = resolver(finder)
    let scans = (1...200).map { number in
      Task { await resolver.find(page(number), for: .other) }
    }
    await finder.wait(for: 1)
    let scanned = finder.asked[0]
    // One that the scanner waits for itself, and one of its own.
    let wanted = (1...200).map { page($0) }.first { $0 != scanned } ?? ""
    async let play = resolver.find(wanted, for: .player)
    await finder.wait(for: 2)
    #expect(finder.asked == [scanned, wanted])
    await finder.answer(wanted, media("https://v.example/play.mp4"))
    #expect(url(await play) == "https://v.example/play.mp4")

    var (found, postponed) = (0, 0)
    let answering = Task {
      while !Task.isCancelled {
        for page in finder.asked where page != wanted {
          await finder.answerNow(page, media("https://v.example/\(page.hashValue).mp4"))
        }
        await Task.yield()
      }
    }
    for scan in scans {
      switch await scan.value {
      case .found: found += 1
      case .postponed(let reason, let until):
        postponed += 1
        #expect(until == clock.withLock { $0 } + 3600)
        #expect(reason.contains("60 min") && reason.contains("a.example"))
      case .failed, .stopped: Issue.record("neither found nor postponed")
      }
    }
    answering.cancel()
    #expect(found + postponed == 200 && (20...21).contains(found))
    #expect(Set(finder.asked).count == finder.asked.count && finder.asked.count <= 21)
  }

  @Test func sitesDoNotWaitForEachOther() async {
    let finder = HeldFinder()
    let resolver = resolver(finder)
    async let one = resolver.find(page(1), for: .other)
    async let other = resolver.find(page(1, of: "b.example"), for: .other)
    await finder.wait(for: 2)
    await finder.answer(page(1), media("https://v.example/a.mp4"))
    await finder.answer(page(1, of: "b.example"), media("https://v.example/b.mp4"))
    let urls = await [url(one), url(other)]
    #expect(urls == ["https://v.example/a.mp4", "https://v.example/b.mp4"])
  }

  @Test func whileNothingMayBeFetchedNothingIsAskedAndNothingCounted() async throws {
    let finder = HeldFinder()
    let resolver = resolver(finder)
    resolver.turn(isOpen: false)
    for number in 1...50 {
      guard case .stopped = await resolver.find(page(number), for: .other) else {
        Issue.record("page \(number) was asked for")
        return
      }
    }
    resolver.turn(isOpen: true)
    async let one = resolver.find(page(1), for: .other)
    await finder.answer(page(1), media("https://v.example/1.mp4"))
    #expect(url(await one) != nil)
  }

  @Test func aPageWithNothingToReadIsAskedAgainWhenItIsWantedAgain() async {
    let finder = HeldFinder()
    let resolver = resolver(finder)
    for _ in 0..<2 {
      async let one = resolver.find(page(1), for: .other)
      var media = PageMedia()
      media.obstacle = .live
      await finder.answer(page(1), .media(media))
      guard case .failed(.live) = await one else {
        Issue.record("it has not failed")
        return
      }
    }
    #expect(finder.asked.count == 2)
  }

  // MARK: Programs

  private func program(_ command: [String], _ tasks: Tasks = .real) -> ResolverProgram {
    ResolverProgram(command, wall: wall, tasks: tasks, jobs: { DispatchJobs($0, qos: $1) })
  }

  private func find(_ script: String, _ page: String = "https://a.example/1") async -> FinderAnswer
  {
    await program(["sh", "-c", script, "sh", "{url}"]).find(page)
  }

  @Test func aProgramGetsTheAddressAsOneArgument() async {
    let page = "https://a.example/1?x=';touch /tmp/x&$(id)"
    let found = await find(#"test "$1" = "$2" && echo never; echo "https://v.example/$#""#, page)
    #expect(found == media("https://v.example/1"))
  }

  @Test func whatItPrintsLastCountsWithoutALineBreakToo() async {
    #expect(await find("printf https://v.example/1") == media("https://v.example/1"))
    #expect(
      await find(#"echo warning >&2; printf '{"url": "https://v.example/2", "ext": "mp4"}'"#)
        != .failed("the resolver found no video on the page"))
  }

  /// The program may leave a helper behind that keeps its output open.
  @Test func aHelperThatStaysIsNotWaitedFor() async {
    let start = ContinuousClock.now
    #expect(await find("echo https://v.example/1; sleep 25 &") == media("https://v.example/1"))
    #expect(ContinuousClock.now - start < .seconds(15).here)
  }

  @Test(arguments: [
    ("exit 3", "ended with exit code 3"), ("true", "found no video on the page"),
    ("echo 'ERROR: [x] Video unavailable' >&2; exit 1", "says: ERROR: [x] Video unavailable"),
    (
      "echo 'WARNING: old' >&2; echo \"ERROR: Unsupported URL: https://u:p@a.example/1?key=secret\" >&2; echo null",
      "ERROR: Unsupported URL: https://a.example/1"
    ),
    ("printf 'ERROR: \\033[31mred\\r\\n' >&2", "ERROR: [31mred"),
    ("for n in 1 2 3; do echo https://v.example/$n; done", "printed 3 addresses"),
    ("printf '{\"formats\": [{\"url\": \"https://v.exam'", "cut off"),
    ("head -c 17000000 /dev/zero", "printed more than feedfs reads"),
  ])
  func aFailureIsToldInWords(script: String, words: String) async {
    guard case .failed(let reason) = await find(script) else {
      Issue.record("\(script) has not failed")
      return
    }
    #expect(reason.contains(words), "\(reason)")
    #expect(!reason.contains("secret") && !reason.contains("u:p"))
    #expect(reason.utf8.allSatisfy { $0 >= 0x20 } && reason.count < 400)
  }

  @Test func aProgramThatIsNotThereIsToldOf() async {
    let finder = program(["/nowhere/yt-dlp", "{url}"])
    guard case .failed(let reason) = await finder.find("https://a.example/1") else {
      Issue.record("it was started")
      return
    }
    #expect(reason.contains("/nowhere/yt-dlp") && reason.contains("feedfs doctor"))
  }

  /// A clock that is ten seconds on at each look.
  private struct HastyClock: TaskClock {
    private let looks = Locked(0)

    var now: Duration {
      .seconds(10)
        * looks.withLock { looks in
          looks += 1
          return looks
        }
    }

    func sleep(for time: Duration) async throws {}
  }

  @Test func aProgramHasHalfAMinute() async {
    let program = program(
      ["sh", "-c", "sleep 25", "{url}"], Tasks(executor: nil, clock: HastyClock()))
    let start = ContinuousClock.now
    #expect(
      await program.find("https://a.example/1")
        == .failed("the resolver took longer than 30 s; try again later"))
    #expect(ContinuousClock.now - start < .seconds(15).here)
  }

  @Test func aProgramEndsWhenNothingMayBeFetchedAnyMore() async throws {
    let finder = program(["sh", "-c", "sleep 25", "{url}"])
    let start = ContinuousClock.now
    async let found = finder.find("https://a.example/1")
    let stopping = Task {
      while !Task.isCancelled {
        finder.turn(isOpen: false)
        await Task.yield()
      }
    }
    #expect(await found == .stopped)
    stopping.cancel()
    #expect(ContinuousClock.now - start < .seconds(15).here)
  }
}

extension HeldFinder {
  /// Answers if the page is asked for now.
  fileprivate func answerNow(_ page: String, _ finding: FinderAnswer) async {
    state.withLock({ $0.waiting.removeValue(forKey: page) })?.resume(returning: finding)
  }
}
