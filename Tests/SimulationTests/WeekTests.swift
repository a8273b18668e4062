import Blocks
import Catalog
import Control
import FeedReading
import Filling
import Foundation
import Logging
import Locks
import Quantities
import SystemPackage
import TestSupport
import Testing

@testable import FeedMount
@testable import Fuse
@testable import Host
@testable import Storage
@testable import World

/// A week of three subscriptions on one mount that is never unmounted. Days pass at once.
@Suite(.timeLimit(.minutes(2)))
final class WeekTests {
  private static let film = 2 << 20  // bytes
  private static let seconds = 64

  private let folder = NSTemporaryDirectory() + "week-\(UUID().uuidString)"
  private let site = MemorySite()
  private let around = SimulatedWorld(seed: 7)
  private let kernel = HeardNotices()
  private let log = Logger(label: "week") { _ in SwiftLogNoOpLogHandler() }
  private let control: NetworkControl
  /// The newest item of each feed.
  private var newest: [String: Int] = [:]
  /// The inode of each path that was ever seen.
  private var seen: [String: UInt64] = [:]

  init() {
    control = NetworkControl(.online, rate: .unlimited, clock: around.time)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  @Test func namesInodesAndOpenFilesStayWhateverComesAndGoes() throws {
    for feed in ["one", "two", "three"] { publish(feed, upTo: 3) }
    let week = try Mounted(self, ["one"])

    // Monday: the first subscription has the mount to itself. Somebody begins to watch.
    try check(week, folders: [])
    let watched = try week.open("0001.mp4")
    pass(.seconds(86_400))

    // Tuesday: the second one, whose two newest films come by themselves.
    try week.follow(["one", "two"])
    try check(week, folders: ["two"])
    pass(.seconds(3600))
    #expect(try week.cached("two") == ["0002.mp4", "0003.mp4"])
    pass(.seconds(82_800))

    // Wednesday: a third one. The second has news, which comes by itself. What nobody played stays.
    publish("two", upTo: 4)
    try week.follow(["one", "two", "three"])
    pass(.seconds(86_400))
    try check(week, folders: ["three", "two"])
    #expect(try week.cached("two") == ["0002.mp4", "0003.mp4", "0004.mp4"])
    #expect(try week.kept("two") == ["0003.mp4", "0004.mp4"])

    // Thursday: one is copied and one is played. The played one goes.
    try week.read("two/0003.mp4", in: .seconds(2))
    pass(.seconds(60))
    #expect(try week.cached("two") == ["0002.mp4", "0003.mp4", "0004.mp4"])
    try week.read("two/0004.mp4", in: .seconds(Self.seconds))
    pass(.seconds(3600))
    #expect(try week.cached("two") == ["0002.mp4", "0003.mp4"])
    #expect(try week.kept("two") == ["0002.mp4", "0003.mp4"])
    #expect(try week.marks("two") == ["0004.mp4": .played])
    pass(.seconds(82_800))

    // Friday: it gets another name. Its inodes stay.
    let inodes = try Set(week.paths().filter { $0.key.hasPrefix("two/") }.values)
    try week.follow(["one", "two", "three"], names: ["two": "talks"])
    try check(week, folders: ["talks", "three"])
    #expect(try Set(week.paths().filter { $0.key.hasPrefix("talks/") }.values) == inodes)
    #expect(kernel.names.isSuperset(of: ["two", "talks"]))
    let talk = try week.open("talks/0003.mp4")
    pass(.seconds(86_400))

    // Saturday: two are removed while something of them is open, then nothing.
    try week.follow(["three"])
    pass(.seconds(3600))
    try check(week, folders: ["talks", "three"])
    #expect(week.bytes(of: watched) == Self.bytes("one", 1))
    week.close(watched)
    pass(.seconds(60))
    #expect(try week.names() == [".feedfs", "talks", "three"])
    #expect(week.bytes(of: talk) == Self.bytes("two", 3))
    #expect(kernel.names.isSuperset(of: ["0001.mp4", "by-title", "playlist.m3u8"]))
    week.close(talk)
    pass(.seconds(60))
    #expect(try week.names() == [".feedfs", "three"])

    // Sunday: both come back to their places, as they were.
    try week.follow(["one", "two", "three"], names: ["two": "talks"])
    pass(.seconds(3600))
    try check(week, folders: ["talks", "three"])
    #expect(try week.cached("talks") == ["0002.mp4", "0003.mp4"])
    week.end()

    // So they are after a restart.
    let next = try Mounted(self, ["three", "two", "one"], names: ["two": "talks"])
    try check(next, folders: ["talks", "three"])
    next.end()
  }

  // MARK: The world

  private static func bytes(_ feed: String, _ number: Int) -> [UInt8] {
    Pattern.bytes(0..<film, seed: UInt64(feed.utf8.count * 100 + number))
  }

  private func publish(_ feed: String, upTo number: Int) {
    let items = (1...number).reversed().map { item in
      site.put(Self.bytes(feed, item), at: "http://o/\(feed)-\(item).mp4")
      return "<item><title>Film \(item)</title><guid>\(feed)-\(item)</guid>"
        + "<pubDate>\(item) May 2026 12:00:00 GMT</pubDate>"
        + "<itunes:duration>\(Self.seconds)</itunes:duration>"
        + "<enclosure type='video/mp4' length='\(Self.film)' url='http://o/\(feed)-\(item).mp4'/></item>"
    }
    // The first reading numbers the entries in the feed's order, the later ones as they come.
    let known = newest[feed] == nil ? items.reversed() : items
    newest[feed] = number
    site.put(
      "<?xml version='1.0'?><rss version='2.0' xmlns:itunes='http://www.itunes.com/dtds/podcast-1.0.dtd'>"
        + "<channel><title>\(feed)</title>\(known.joined())</channel></rss>", at: "http://o/\(feed)"
    )
  }

  /// Lets time pass, and everything happen that falls due.
  private func pass(_ time: Duration) {
    let end = around.time.now + time
    settle()
    while around.time.now < end {
      around.advance(by: min(.seconds(300), end - around.time.now))
      settle()
    }
  }

  private func settle() {
    let isIdle = { [around] in
      around.jobs.isIdle && around.executor.isIdle
        && around.time.nextCall.map { $0 > around.time.now } ?? true
    }
    repeat {
      around.advance(by: .zero)
      around.jobs.runNext()
      around.executor.run()
    } while !isIdle()
  }

  private func choices(_ feeds: [String], names: [String: String]) -> [FeedChoice] {
    feeds.map { feed in
      var choice = FeedChoice("http://o/\(feed)")
      choice.name = names[feed]
      choice.keep = feed == "two" ? .newest(2) : nil
      return choice
    }
  }

  /// Compares the tree with all that was ever seen of it.
  private func check(_ week: Mounted, folders: [String]) throws {
    let paths = try week.paths()
    #expect(paths.keys.filter { folders.contains($0) }.sorted() == folders)
    for (path, inode) in paths {
      #expect(seen[path] ?? inode == inode, "\(path) has another inode")
      seen[path] = inode
    }
    let files = paths.filter { path, _ in
      !path.split(separator: "/").contains { ["by-title", "new", "started"].contains($0) }
    }
    #expect(Set(files.values).count == files.count)
    for path in ["0001.mp4", "0003.mp4", "by-title", "playlist.m3u8"] {
      #expect(paths[path] != nil, "\(path)")
    }
  }

  /// The mount in the simulated world.
  private final class Mounted {
    struct Handle {
      let live: LiveCatalog
      let version: EntryVersion
      let handle: FillState.HandleID
    }

    private let week: WeekTests
    private let places: FeedPlaces
    private let tree: FeedSetFileSystem
    private let preloader: Preloader

    init(_ week: WeekTests, _ feeds: [String], names: [String: String] = [:]) throws {
      self.week = week
      let (around, time) = (week.around, week.around.time)
      let disk = Disk(timer: { time.call(after: $0, $1) }) { path, create throws(StorageError) in
        try Folder(at: path, create: create)
      }
      let world = around.world(week.site, disk, week.kernel) {
        1_780_000_000 + Int(time.now.components.seconds)
      }
      let directories = MountDirectories(
        cache: FilePath(week.folder + "/cache"), state: FilePath(week.folder + "/state"))
      let choices = week.choices(feeds, names: names)
      preloader = Preloader(world.timekeeper("feedfs.preloader"))
      let layout = LayoutFile(of: "/mount", in: directories, on: disk)
      let set = FeedSet(
        FeedNeeds(
          directories: directories, settings: MountSettings(), world: world, preloader: preloader,
          networkControl: week.control, log: week.log),
        layout: layout.layout)
      let made = around.finish { () -> [MountedFeed]? in try? await set.feeds(choices) }
      places = FeedPlaces(
        try #require(made ?? nil), of: set, layoutFile: layout, preloader: preloader, in: world
      ) { feed in
        FeedFileSystem(
          feed.live, facts: EntryFacts(feed.live, in: feed.space, prefix: ""),
          documents: GeneratedFiles(feed.documents, in: world) { directories.cache },
          sidecars: feed.sidecars, space: feed.space, root: nil, started: 0
        ) { feed.opened($0, by: $1) }
      }
      tree = FeedSetFileSystem(
        documents: GeneratedFiles([], in: world) { directories.cache },
        root: RootAttributes { nil }, started: 0
      ) { [places] in places.shape }
      places.begin()
      week.settle()
    }

    func follow(_ feeds: [String], names: [String: String] = [:]) throws {
      let choices = week.choices(feeds, names: names)
      let outcome = week.around.finish { [places] in
        try? await places.follow(choices) { _ in }
      }
      #expect(try #require(outcome ?? nil).errors == [])
      week.settle()
    }

    func end() {
      preloader.end()
      for feed in places.end() { feed.end() }
      week.settle()
    }

    // MARK: The tree

    func names(in folder: NodeID = .root) throws -> [String] {
      try tree.items(of: folder, after: 0, limit: 1000).map(\.name).sorted()
    }

    /// The inodes of everything, by path.
    func paths() throws -> [String: UInt64] {
      var found: [String: UInt64] = [:]
      var folders = [("", NodeID.root)]
      while let (path, node) = folders.popLast() {
        for item in try tree.items(of: node, after: 0, limit: 1000) {
          let name = path.isEmpty ? item.name : path + "/" + item.name
          found[name] = item.attributes.inode.number
          if item.attributes.kind == .directory { folders.append((name, item.attributes.inode)) }
        }
      }
      return found
    }

    /// The files of a folder that are cached as a whole.
    func cached(_ folder: String) throws -> [String] {
      let live = try #require(places.listed.first { $0.folder == folder }).feed.live
      return live.catalog.listed.filter { live.bytesOnDisk(of: $0) == WeekTests.film }.map(\.name)
        .sorted()
    }

    /// The files of a folder that `keep` names.
    func kept(_ folder: String) throws -> [String] {
      let live = try #require(places.listed.first { $0.folder == folder }).feed.live
      return live.catalog.listed.filter { live.isKept($0.number) }.map(\.name).sorted()
    }

    /// The marks of the files of a folder that are no longer new.
    func marks(_ folder: String) throws -> [String: EntryMark] {
      let live = try #require(places.listed.first { $0.folder == folder }).feed.live
      let marked = live.catalog.listed.compactMap { entry in entry.mark.map { (entry.name, $0) } }
      return Dictionary(uniqueKeysWithValues: marked)
    }

    // MARK: Files

    func open(_ path: String) throws -> Handle {
      var node = NodeID.root
      for name in path.split(separator: "/") {
        node = try tree.lookup(String(name), in: node).inode
      }
      let slot = InodeSpace.slot(of: node)
      let place = try #require(places.all.first { $0.feed.space.slot == slot })
      let version = try place.feed.live.open(place.feed.space.number(of: node))
      return Handle(
        live: place.feed.live, version: version,
        handle: version.filler.opened(isScanner: false))
    }

    /// Closes a file as `EntryReader` does.
    func close(_ handle: Handle) {
      let run = handle.version.filler.run(of: handle.handle)
      handle.version.filler.closed(handle.handle)
      if let run { handle.live.closed(handle.version.inode, after: run, isPlayer: false) }
      handle.live.closed(handle.version)
      week.settle()
    }

    func bytes(of handle: Handle) -> [UInt8] {
      read(0..<WeekTests.film, of: handle)
    }

    /// Reads a whole file in this time.
    func read(_ path: String, in time: Duration) throws {
      let handle = try open(path)
      let pieces = 16
      for piece in 0..<pieces {
        let size = WeekTests.film / pieces
        #expect(read(piece * size..<(piece + 1) * size, of: handle).count == size)
        week.pass(time / pieces)
      }
      close(handle)
    }

    private func read(_ range: Range<Int>, of handle: Handle) -> [UInt8] {
      let reading = Reading()
      handle.version.filler.read(range, by: handle.handle, into: reading)
      for _ in 0..<100 where reading.bytes.withLock({ $0 == nil }) {
        week.pass(.milliseconds(20))
      }
      return reading.bytes.withLock { $0 } ?? []
    }
  }
}

/// The names of the root of which the kernel was told.
private final class HeardNotices: KernelNotices {
  private let heard = Locked<Set<String>>([])

  var names: Set<String> { heard.withLock { $0 } }

  let passesThrough = false

  func nameChanged(_ name: String, in directory: NodeID) {
    if directory == .root { heard.withLock { _ = $0.insert(name) } }
  }

  func attributesChanged(of inode: NodeID) {}
  func contentsChanged(of inode: NodeID) {}

  func sizeProved(
    _ size: Int, of inode: NodeID, isGreater: Bool, then: @escaping @Sendable (Bool) -> Void
  ) {
    then(true)
  }

  func sizeGrew(
    to size: Int, last: UInt8, of inode: NodeID, then: @escaping @Sendable (Bool) -> Void
  ) {
    then(true)
  }
}

/// A read that may wait.
private final class Reading: ByteReceiver {
  let bytes = Locked<[UInt8]?>(nil)

  func willWait(cancel: @escaping @Sendable () -> Void) -> Bool { true }

  func receive(_ bytes: RawSpan) -> Bool {
    let copy = bytes.withUnsafeBytes { Array($0) }
    self.bytes.withLock { $0 = copy }
    return true
  }

  func fail(_ error: ReadError) {
    bytes.withLock { $0 = [] }
  }
}
