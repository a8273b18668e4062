import Blocks
import Control
import Testing

@testable import CommandTools

struct StatusTableTests {
  private func status(_ files: [FileStatus]) -> MountStatus {
    var cache = CacheStatus(path: "/c", bytes: 3 << 20, problem: nil)
    cache.limit = 20 << 30
    cache.used = 9 << 20
    cache.free = 5 << 30
    var origin = OriginStatus(
      origin: "https://example.org:443", condition: .reachable, state: "reachable",
      lastError: "status 503", requests: 1200, bytes: 7 << 20)
    origin.latency = 0.045
    origin.throughput = 3 << 20
    origin.failures = 2
    let feed = FeedStatus(
      folder: "", title: "Talks", address: "https://example.org/feed", entries: files.count,
      pages: 1,
      end: nil, refreshed: nil, error: nil)
    return MountStatus(
      version: "1", pid: 1, mountPoint: "/m", passthrough: false, feeds: [feed], cache: cache,
      files: files, origins: [origin])
  }

  private func file(_ number: Int, cached: Int, title: String = "A talk") -> FileStatus {
    var file = FileStatus(
      name: "000\(number).mp4", title: title, size: 1 << 20, cached: cached,
      state: cached == 0 ? .empty : cached == 1 << 20 ? .complete : .partial)
    file.extents = cached == 0 ? nil : [Extent(from: 0, until: cached)]
    return file
  }

  private func text(
    _ status: MountStatus, _ face: TerminalFace = TerminalFace(), all: Bool = false,
    framed: Bool = false
  ) -> [String] {
    StatusTable(status: status, face: face, listsAll: all, isFramed: framed).lines
      .map { face.cut($0).text(coloured: face.hasColour) }
  }

  @Test func aFurtherPageIsTold() {
    var paged = status([file(1, cached: 0)])
    paged.feeds[0].refreshed = 1
    #expect(text(paged).contains { $0.contains("`feedfs feed more` reads") })
    paged.feeds[0].end = "the feed has no further page"
    #expect(!text(paged).contains { $0.contains("feed more") })
  }

  @Test func totalsCacheAndOriginsAreTold() {
    let lines = text(status([file(1, cached: 1 << 20), file(2, cached: 0)]))

    #expect(lines[0] == "Talks  https://example.org/feed")
    #expect(lines[1] == "  /m, 3.0 MiB (9.0 MiB in all) of 20.0 GiB in /c, 5.0 GiB free")
    #expect(lines[2] == "  1 of 2 files complete")
    #expect(lines[3] == "0001.mp4  ▕████████████████▏  1.0 MiB of 1.0 MiB  complete  A talk")
    #expect(lines[4] == "and 1 other; --all lists it")
    #expect(
      lines[5] == "https://example.org:443  reachable  1,200 requests, 7.0 MiB, 45 ms, "
        + "3.0 MiB/s when last measured, 2 failures")
    #expect(lines[6] == "  last error: status 503")
  }

  @Test func oneFileIsNotCalledFiles() {
    let lines = text(status([file(1, cached: 0)]))
    #expect(lines[2] == "  0 of 1 file complete" && lines[3] == "1 file; --all lists it")
  }

  /// The state has the reason why nothing comes. Speed and read-ahead give way to it.
  @Test(arguments: [(44, false, false), (56, true, false), (90, true, true)])
  func onANarrowTerminalTheStateIsLastToGo(width: Int, ahead: Bool, speed: Bool) {
    var moving = file(1, cached: 9)
    moving.state = .filling
    moving.speed = 30 << 20
    moving.readers = [ReaderStatus(position: 0, ahead: 9 << 20, seconds: nil)]
    let failed = file(2, cached: 0)
    let line = text(status([moving, failed]), TerminalFace(isTerminal: true, width: width))[3]
    #expect(line.contains("filling"), "\(line)")
    #expect(line.contains("ahead") == ahead && line.contains("MiB/s") == speed, "\(line)")
  }

  @Test func aFeedThatHasMovedSaysWhereAndWhyNot() {
    var moved = status([file(1, cached: 0)])
    moved.feeds[0].movedTo = "https://example.net/feed"
    moved.feeds[0].move = "the feed says that it has moved to http://x/; feedfs does not follow: no"
    let lines = text(moved)

    #expect(lines[0] == "Talks  https://example.org/feed")
    #expect(
      lines[1]
        == "  the feed has moved to https://example.net/feed; its file names and its cache stay")
    #expect(
      lines[2] == "  the feed says that it has moved to http://x/; feedfs does not follow: no")
    #expect(lines[3].hasPrefix("  /m, "))
  }

  @Test func ofTenThousandFilesOnlyThoseOfInterestAreListed() {
    var files = (0..<10_000).map { _ in file(1, cached: 0) }
    files[17].open = 1
    files[4711].state = .waiting
    files[9_000].cached = 9
    files[9_001].removed = true
    let lines = text(status(files))

    #expect(lines.contains("and 9,996 others; --all lists them"))
    #expect(lines.count < 12)
    #expect(text(status(files), all: true).count > 10_000)
  }

  /// Names of a listing are as long as its server likes.
  @Test(arguments: [80, 132]) func aLongNameLeavesRoomForItsState(width: Int) {
    var long = file(1, cached: 1 << 20)
    long.name = "Some.Show.S01E01." + String(repeating: "w", count: 70) + ".1080p.mkv"
    let line = text(status([long]), TerminalFace(isTerminal: true, width: width))[3]
    #expect(line.hasPrefix("Some.Show.") && line.contains("1080p.mkv") && line.contains("complete"))
    #expect(text(status([long]))[3].hasPrefix(long.name))
  }

  @Test(arguments: [40, 60, 80, 132, 300]) func noLineIsWiderThanTheTerminal(width: Int) {
    let title = String(repeating: "世界 and more ", count: 20)
    let lines = text(
      status([file(1, cached: 9, title: title), file(2, cached: 1 << 20, title: title)]),
      TerminalFace(isTerminal: true, width: width))

    #expect(lines.allSatisfy { ColumnCount.of($0) <= width })
    #expect(lines.contains { $0.hasPrefix("0001.mp4  ▕▁") })
  }

  @Test(arguments: [8, 12, 24]) func aScreenIsNotOverfull(height: Int) {
    let files = (1...50).map { file($0, cached: 9) }
    let lines = text(
      status(files), TerminalFace(isTerminal: true, width: 80, height: height), framed: true)

    #expect(lines.count <= max(height, 8))
    #expect(lines.contains { $0.hasPrefix("and ") })
  }

  @Test func onlyWhoWantsColoursGetsThem() {
    let coloured = text(status([file(1, cached: 9)]), TerminalFace(hasColour: true))
    #expect(coloured.joined().contains("\u{1B}[32m"))
    let plain = text(status([file(1, cached: 9)]), TerminalFace(isPlain: true)).joined()
    #expect(plain.utf8.allSatisfy { (0x20..<0x7F).contains($0) })
  }
}
