import Blocks
import Catalog
import Control
import FeedReading
import Filling
import FoundationEssentials
import Storage
import Streams
import SystemPackage
import TestSupport
import Testing

@testable import FeedMount
@testable import Resolving

/// Each file of the state that the first version wrote is read.
@Suite(.timeLimit(.minutes(1))) struct FirstStateTests {
  private static let mixed = FeedChoice(FirstVersion.mixed)

  private func state<Result>(_ body: (MountDirectories) throws -> Result) throws -> Result {
    try FirstVersion.with(.rich) { place in
      try body(
        MountDirectories(
          cache: FilePath(place + "/cache/feedfs"), state: FilePath(place + "/state/feedfs")))
    }
  }

  @Test func theLineToAnOrigin() throws {
    let line = try state {
      KnownLines(in: $0.state(of: Self.mixed), on: .real).line(to: "http://127.0.0.1:47811/a")
    }
    #expect(line?.latency == .milliseconds(61) && line?.rate == 2_011_985)
  }

  @Test func whatIsKept() throws {
    let rule = try state { Keeper.file(in: $0.state(of: Self.mixed), on: .real).read()?.rule }
    #expect(rule == .newest(1))
  }

  @Test func theMediaOfAPage() throws {
    let pages = try state { directories in
      let pages = ResolvedPages(
        in: directories.state(of: Self.mixed), on: .real, resolver: [], media: MediaChoice())
      return pages.read()
    }
    let media = try #require(pages["http://127.0.0.1:47811/page.html"]).media
    #expect(media.formats.map(\.url) == ["http://127.0.0.1:47811/files/json.mp4"])
    #expect(media.offers.map(\.address) == ["http://127.0.0.1:47811/files/json.mp4"])
  }

  @Test func theFeedsOfAList() throws {
    let list = FeedChoice("http://127.0.0.1:47811/list")
    let feeds = try state { FeedLists(in: $0, on: .real).remembered(of: [list]).map(\.address) }
    #expect(feeds == ["http://127.0.0.1:47811/json", "http://127.0.0.1:47811/extra"])
  }

  @Test func theLayoutOfAMount() throws {
    let layouts = try state { directories in
      let mounts = directories.state.appending("mounts").string
      return try FileManager.default.contentsOfDirectory(atPath: mounts).map { name in
        let path = "\(mounts)/\(name)/layout.json"
        return try JSONDecoder().decode(
          MountLayout.self, from: Data(contentsOf: URL(filePath: path)))
      }
    }
    #expect(layouts.count == 1 && layouts[0].root == nil && layouts[0].folders.count == 4)
  }

  @Test func theBudgetsOfQuestions() throws {
    try state { directories in
      for (name, again) in [
        ("sizes", { ProbeBudget(text: $0).text }),
        ("resolutions", { ResolutionBudget(text: $0).text }),
      ] as [(String, (String) -> String)] {
        let path = directories.state.appending(name).string
        let text = String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
        #expect(again(text) == text && text.split(separator: "\n").count == 2, "\(name)")
      }
    }
  }

  @Test func theNamesOfADirectorysFiles() throws {
    let names = try state { directories in
      let shelf = FeedChoice("http://127.0.0.1:47811/shelf/")
      let file = SnapshotFile(in: directories.state(of: shelf), name: "catalog.json")
      return try file.read { try Catalog(decoding: $0).listed.map(\.name) }
    }
    #expect(names == ["A film.mp4", "Another.mp4"])
  }

  // MARK: What was set aside

  @Test func whatWasSetAsideIsListedAndGoesWithAPrune() async throws {
    let place = try makeTemporaryFolder("aside")
    defer { _ = try? ChildProcess.run(["rm", "-rf", "--one-file-system", place]) }
    try FirstVersion.unpack(.rich, into: place)
    let directories = MountDirectories(
      cache: FilePath(place + "/cache/feedfs"), state: FilePath(place + "/state/feedfs"))
    let folder = directories.cache.appending(Fingerprint(of: FirstVersion.mixed).description)
    let old = [
      folder.appending("x.data.old"), directories.state(of: Self.mixed).appending("lines.old"),
      directories.state.appending("sizes.old"),
    ]
    for path in old { try Data(repeating: 1, count: 50_000).write(to: URL(filePath: path.string)) }
    let names = ["Mixed/x.data.old", "Mixed/lines.old", "sizes.old"]

    let caches = try await UnmountedCaches(in: directories, besides: [], waits: false)
    defer { caches.end() }
    func ask<Message: Decodable>(_ request: CacheRequest, as type: Message.Type) async throws
      -> Message
    {
      try Wire.decode(type, from: await caches.answer(request).body.joined)
    }
    let files = try await ask(.list, as: CacheListing.self).files
    let aside = files.filter { $0.name.hasSuffix(".old") }
    #expect(aside.map(\.name) == names)
    #expect(aside.allSatisfy { $0.stored >= 50_000 && !$0.isListed && $0.used != nil })

    var rule = PruneRule()
    rule.isRehearsal = true
    let rehearsed = try await ask(.prune(rule), as: CacheOutcome.self)
    #expect(names.allSatisfy(rehearsed.files.contains))
    #expect(old.allSatisfy { FileManager.default.fileExists(atPath: $0.string) })
    rule.isRehearsal = false
    let pruned = try await ask(.prune(rule), as: CacheOutcome.self)
    #expect(pruned.files == rehearsed.files && pruned.freed >= 150_000)
    #expect(!old.contains { FileManager.default.fileExists(atPath: $0.string) })
  }
}
