import Blocks
import Catalog
import FeedReading
import Filling
import Fuse
import Host
import Logging
import Locks
import SystemPackage
import TestSupport
import Testing

@testable import FeedMount
@testable import Storage
@testable import World

/// A feed's news reach the catalog of a running mount while others use it.
@Suite(.timeLimit(.minutes(2)))
struct LiveCatalogTests {
  private let disk = SimulatedDisk(seed: 1)

  /// The try counts whose longest wait is the least, of 20 tries. The time in which other work had the
  /// processor of a lookup is no wait. Other work may stop the merge while it holds a lock, but not each
  /// time. A lookup that has to wait for a merge waits in each try.
  @Test func noLookupWaitsForAMerge() async throws {
    var least = Duration.seconds(60)
    for _ in 0..<20 where least > Figure.lookups.time {
      least = min(least, try await longestLookup(while: lifeOfALongFeed))
    }

    #expect(least <= Figure.lookups.limit, "a lookup waited \(least)")
  }

  /// A page of 12,000 entries comes and is saved, all its entries change while files are pinned, and
  /// then half of them leave the feed.
  private func lifeOfALongFeed(_ live: LiveCatalog) throws {
    let news = try page(0..<12_000, length: 20_000, into: live)
    #expect(news.change.added.count == 11_000)
    #expect(live.current.catalog.encoded().count > 1_000_000)
    live.saved(before: live.catalog.nextNumber)
    live.publish(news)
    #expect(live.pin(true, [5, 6]))
    let changes = try page(0..<12_000, length: 30_000, into: live)
    #expect(changes.change.changed.count == 12_000)
    live.publish(changes)
    live.evicted("7")
    live.publish(try page(6_000..<12_000, length: 30_000, isComplete: true, into: live))
    #expect(live.catalog.listedCount == 6_002, "all but the pinned ones of the others are gone")
  }

  private func longestLookup(while work: (LiveCatalog) throws -> Void) async throws -> Duration {
    let live = try catalog()
    _ = try page(0..<1_000, length: 20_000, into: live)
    let inode = try #require(live.entry(number: 1)?.inode)
    let isOver = Locked(false)
    let lookups = Task.detached {
      let ready = ReadyTime()
      var (count, longest) = (0, Duration.zero)
      while !isOver.withLock({ $0 }) {
        let before = ready.soFar
        let took = ContinuousClock().measure { _ = live.entry(inode: inode) }
        longest = max(longest, took - (ready.soFar - before))
        count += 1
      }
      return (count: count, longest: longest)
    }
    defer { isOver.withLock { $0 = true } }
    try work(live)
    isOver.withLock { $0 = true }
    let found = await lookups.value
    #expect(found.count > 1_000)
    return found.longest
  }

  @Test func aChangeThatOvertakesAMergeStays() async throws {
    let live = try catalog()
    _ = try merge(0..<200, into: live)
    let pins = Task.detached {
      for number in 1...200 { _ = live.pin(true, [number]) }
    }
    for round in 1...20 { _ = try merge(0..<(200 + 10 * round), into: live) }
    await pins.value

    #expect(live.catalog.entries.count == 400)
    #expect(live.catalog.pinned.map(\.number) == Array(1...200))
  }

  // MARK: Private

  private func catalog() throws -> LiveCatalog {
    let cache = try CacheDirectory(
      in: Folder(SimulatedFile(disk), at: "/simulated"), feedKey: "feed", minFree: .bytes(0),
      limit: nil,
      blockSize: BlockLayout.standardBlockSize, flusher: Flusher(delay: .seconds(1)) { _, _ in })
    let world = SimulatedWorld(seed: 1).world(ScriptedClient(), .real, KernelLink()) { 0 }
    let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    return LiveCatalog(
      Catalog(feed: try FeedKey("http://o/feed")),
      maker: VersionMaker(
        world: world,
        origins: OriginNeeds(
          client: world.network, failures: Failures(now: { 0 }, log), tasks: world.tasks),
        cache: cache, timekeeper: ManualTime(), rules: FillRules(),
        lines: KnownLines(in: "/state", on: world.disk),
        complain: { _ in }, tell: { _, _ in }),
      wall: world.wall,
      facts: FeedFacts())
  }

  private func merge(_ items: Range<Int>, into live: LiveCatalog) throws -> CatalogChange {
    try page(items, length: 20_000, into: live).change
  }

  /// Merges a page with these entries, each of which claims this length.
  private func page(
    _ items: Range<Int>, length: Int, isComplete: Bool = false, into live: LiveCatalog
  ) throws -> LiveCatalog.News {
    let list = items.reversed().map { item in
      """
      <item><guid>\(item)</guid><title>\(item)</title>\
      <enclosure url='http://o/\(item).mp4' length='\(length)'/></item>
      """
    }
    let text = "<rss version='2.0'><channel>\(list.joined())</channel></rss>"
    var window = try FeedParser.parse(Array(text.utf8), base: "http://o/feed")
    window.complete = isComplete
    return live.merge(window, of: [], guessing: false, answer: PageFacts(), now: 1_000)
  }
}
