import Blocks
import Catalog
import FeedReading
import Fuse
import Host
import Logging
import NIOConcurrencyHelpers
import Streaming
import SystemPackage
import TestSupport
import Testing

@testable import FeedMount
@testable import Storage

/// A feed's news reach the catalog of a running mount while others use it.
@Suite(.timeLimit(.minutes(2)))
struct LiveCatalogTests {
  private let disk = SimulatedDisk(seed: 1)

  @Test func noLookupWaitsForAMerge() async throws {
    let live = try catalog()
    _ = try merge(0..<1_000, into: live)
    let inode = try #require(live.entry(number: 1)?.inode)
    let isOver = NIOLockedValueBox(false)
    let longest = NIOLockedValueBox(Duration.zero)
    let count = NIOLockedValueBox(0)
    let lookups = Task.detached {
      while !isOver.withLockedValue({ $0 }) {
        let took = ContinuousClock().measure { _ = live.entry(inode: inode) }
        longest.withLockedValue { $0 = max($0, took) }
        count.withLockedValue { $0 += 1 }
      }
    }

    let start = ContinuousClock.now
    let change = try merge(0..<12_000, into: live)
    let merging = start.duration(to: .now)
    isOver.withLockedValue { $0 = true }
    await lookups.value

    #expect(change.added.count == 11_000)
    #expect(count.withLockedValue { $0 } > 1_000)
    let wait = longest.withLockedValue { $0 }
    #expect(wait < merging / 4, "a lookup waited \(wait) of \(merging)")
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
        world: world, feed: nil, cache: cache, timekeeper: ManualTime(),
        rules: FillRules(),
        resolver: nil, failures: Failures(now: { 0 }, log),
        lines: KnownLines(SnapshotFile(in: "/state", name: "lines", on: world.disk)),
        complain: { _ in }, tell: { _, _ in }),
      wall: world.wall,
      facts: FeedFacts())
  }

  private func merge(_ items: Range<Int>, into live: LiveCatalog) throws -> CatalogChange {
    let list = items.reversed().map { item in
      "<item><guid>\(item)</guid><title>\(item)</title><enclosure url='http://o/\(item).mp4'/></item>"
    }
    let text = "<rss version='2.0'><channel>\(list.joined())</channel></rss>"
    let window = try FeedParser.parse(Array(text.utf8), base: "http://o/feed")
    return live.merge(window, of: [], guessing: false, answer: PageFacts(), now: 1_000).change
  }
}
