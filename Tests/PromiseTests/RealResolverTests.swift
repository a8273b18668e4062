import Control
import Glibc
import TestSupport
import Testing

extension Promises {
  /// The real yt-dlp as resolver, by its preset, against pages that its generic extractor reads.
  /// `make real` runs these tests, because yt-dlp comes from PyPI.
  @Suite(
    .serialized, .timeLimit(.minutes(5)), .enabled(if: canMount && getenv("FEEDFS_REAL") != nil))
  struct RealResolverTests {
    /// Mounts a feed of the site whose entries only have pages.
    private func mount(
      _ kind: String, of site: LocalSite, count: Int = 1, options: [String] = []
    ) throws -> MountedFeed {
      let feed = try MountedFeed()
      try WebPages(feed).configure("resolver = \"yt-dlp\"")
      try feed.mount(site.url("/feed/\(kind)?count=\(count)"), options: options)
      return feed
    }

    private func digest(_ kind: String, _ height: Int = 1080, of site: LocalSite) throws -> String {
      try site.text("/__digest/\(kind)/1/\(height)")
    }

    @Test(arguments: ["jsonld", "video", "two", "og", "headers", "expiring", "dated"])
    func aPageOfEachKindIsAFile(kind: String) throws {
      let site = try LocalSite()
      let feed = try mount(kind, of: site)
      #expect(try site.log(below: "/watch/").isEmpty)
      #expect(try feed.digest(of: feed.path(1)) == (try digest(kind, of: site)))
      let media = try site.log(below: "/media/")
      #expect(!media.isEmpty && media.allSatisfy { $0.status < 400 })
    }

    @Test func ofTwoQualitiesTheWantedOneIsRead() throws {
      let site = try LocalSite()
      let feed = try mount("two", of: site, options: ["--max-height", "720"])
      #expect(try feed.digest(of: feed.path(1)) == (try digest("two", 720, of: site)))
    }

    @Test func whatThePageTellsIsShown() throws {
      let site = try LocalSite()
      let feed = try mount("jsonld", of: site)
      _ = try feed.digest(of: feed.path(1))
      #expect(try feed.status().files[0].duration == 61)
      let other = try mount("video", of: site)
      _ = try other.digest(of: other.path(1))
      #expect(try eventually { try other.names().contains("0001.en.vtt") })
    }

    /// The address of one kind says when it expires, that of the other does not.
    @Test(arguments: ["expiring", "dated"])
    func anAddressExpiresInTheMiddleOfAFilm(kind: String) throws {
      let life = 8.0
      let site = try LocalSite(life: life)
      let feed = try mount(kind, of: site)
      let file = try MountedFile(feed.path(1))
      _ = try file.read(0..<4096)
      let read = try #require(try site.log(below: "/watch/").last).time
      #expect(
        try eventually(within: .seconds(20)) {
          try Double(site.text("/__now")) ?? 0 > read + life + 1
        })
      #expect(try feed.digest(of: feed.path(1)) == (try digest(kind, of: site)))
      let refused = try site.log(below: "/media/").count { $0.status == 403 }
      #expect(kind == "dated" ? refused == 0 : (1...4).contains(refused))
      // yt-dlp asks for a page once or twice.
      #expect(try site.log(below: "/watch/").count <= 4)
    }

    /// Mounts a feed with one page, on which a stream stands.
    private func mount(
      _ shape: StreamShape, options: [String] = []
    ) throws -> (feed: MountedFeed, source: String) {
      let feed = try MountedFeed()
      let source = try StreamShapes.pack(shape, in: feed.media + "/film")
      let type = shape.entry[0].hasSuffix("mpd") ? "application/dash+xml" : "application/x-mpegURL"
      try feed.origin.put(
        """
        <!DOCTYPE html><html><head><title>A film</title></head><body><video controls>
        <source src="/files/film/\(shape.entry[0])" type="\(type)"></video></body></html>
        """, at: "/watch/1", type: "text/html")
      let pages = try WebPages(feed)
      try pages.serve(1)
      try pages.configure("resolver = \"yt-dlp\"")
      try feed.mount("/pages", options: options)
      return (feed, source)
    }

    /// ffmpeg writes a master playlist without CODECS, of which yt-dlp alone takes a silent film.
    @Test(arguments: [StreamShape.group, .timeline, .numbered, .transport])
    func aStreamOnAPageHasPictureAndSound(_ shape: StreamShape) throws {
      let (feed, source) = try mount(shape)
      let film = feed.path(1)
      let pictures = try StreamShapes.frames("v", of: film).hashes
      #expect(try pictures == StreamShapes.frames("v", of: source).hashes)
      let sounds = try StreamShapes.frames("a", of: film).hashes.count
      #expect(abs(sounds - (try StreamShapes.frames("a", of: source).hashes.count)) <= 1)
    }

    @Test(arguments: [(nil, "320 × 180"), (90, "160 × 90")])
    func ofAMasterTheWantedQualityIsRead(height: Int?, size: String) throws {
      let options = height.map { ["--max-height", "\($0)"] } ?? []
      let (feed, _) = try mount(.qualities, options: options)
      _ = try MountedFile(feed.path(1)).read(0..<4096)
      let tracks = try #require(try feed.details(of: feed.path(1)).stream).tracks
      #expect(tracks.count == 2 && tracks[0].contains(size), "\(tracks)")
    }

    @Test func aPageWithoutAVideoSaysSo() throws {
      let site = try LocalSite()
      let feed = try mount("gone", of: site)
      #expect(try feed.failure(ofReading: feed.path(1)) == EIO)
      let failure = try #require(try feed.status().files[0].failure)
      #expect(failure.what.contains("Unsupported URL"), "\(failure.what)")
    }

    /// A scanner opens 200 pages. The site is asked for no more than was promised, and a player in
    /// between waits for its own page only.
    @Test func aScannerOfTwoHundredPagesIsBoundedAndAPlayerGoesOn() throws {
      let site = try LocalSite()
      let feed = try mount("video", of: site, count: 200)
      let player = feed.folder + "/mpv"
      _ = try ChildProcess.run(["cp", "/bin/cat", player])
      let scan = try ChildProcess([
        "sh", "-c", "for file in \"$1\"/0*.mp4; do head -c 1000 \"$file\" >\"$2\" || true; done",
        "sh", feed.mountPoint, "/dev/null",
      ])
      #expect(try eventually(within: .seconds(60)) { try site.log(below: "/watch/").count >= 4 })
      let start = ContinuousClock.now
      let played = try ChildProcess.run([player, feed.path(180)], timeout: .seconds(60))
      let time = ContinuousClock.now - start
      #expect(played.status == 0)
      // A start of yt-dlp, and a film of 4 MiB.
      #expect(time < .seconds(15).here)
      #expect(scan.wait(timeout: .seconds(240)) != nil)
      let pages = Set(try site.log(below: "/watch/").map(\.target))
      #expect(pages.count == 21)
      #expect(try feed.failure(ofReading: feed.path(199)) == EBUSY)
      let failure = try #require(try feed.details(of: feed.path(199)).file.failure)
      #expect(failure.retryIn ?? 0 > 600)
    }

    @Test func doctorSaysWhatItFound() throws {
      let site = try LocalSite()
      let feed = try MountedFeed()
      try WebPages(feed).configure("resolver = \"yt-dlp\"")
      let said = try feed.feedfs("doctor", site.url("/feed/two?count=1"))
      #expect(said.out.contains("yt-dlp") && said.out.contains("1080"), "\(said.out)")
    }
  }
}
