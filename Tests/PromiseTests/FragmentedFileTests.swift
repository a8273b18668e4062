import Glibc
import TestSupport
import Testing

extension Promises {
  /// A fragmented MP4 that a feed names as a plain file is a film that players can seek in.
  @Suite(
    .timeLimit(.minutes(4)), .enabled(if: canMount && isInstalled("ffmpeg"), "ffmpeg is missing"))
  struct FragmentedFileTests {
    private static let noise = ["-vf", "noise=alls=40:allf=t"]

    /// PeerTube's file. Each fragment has an index of itself alone; nothing names all of them.
    private static var peerTube: StreamShape {
      var shape = StreamShape.oneFile
      shape.source = noise + StreamShapes.source.map { $0 == "5" ? "18" : $0 }
      return shape
    }

    private static let name = "x-720-fragmented.mp4"

    private func serve(
      _ feed: MountedFeed, _ name: String, more: String = "", type: String = "video/mp4"
    ) throws {
      try feed.origin.put(
        """
        <rss version="2.0" xmlns:podcast="https://podcastindex.org/namespace/1.0"
          xmlns:psc="http://podlove.org/simple-chapters"><channel><title>t</title><item>
        <guid>1</guid><title>1</title>\(more)
        <enclosure length="0" type="\(type)" url="\(feed.origin.url("/files/film/" + name))"/>
        </item></channel></rss>
        """, at: "/feed", type: "application/rss+xml")
    }

    @Test func itsFragmentsAreFoundAndPlayersReadLittleOfIt() throws {
      let feed = try MountedFeed()
      let source = try StreamShapes.pack(Self.peerTube, in: feed.media + "/film")
      try serve(feed, Self.name)
      try feed.mount("/feed")
      let film = feed.path(1)
      // Its name is that of the file.
      #expect(film.hasSuffix(".mp4"))
      let size =
        try Int(
          ChildProcess.run(["stat", "-c", "%s", feed.media + "/film/" + Self.name]).out.filter(
            \.isNumber)) ?? 0

      let probe = try ChildProcess.run([
        "ffprobe", "-v", "error", "-show_entries", "format=duration,format_name", "-of", "csv=p=0",
        film,
      ])
      #expect(probe.status == 0 && probe.out.contains("matroska"), "\(probe.out) \(probe.err)")
      let seconds = probe.out.split(separator: ",").last.flatMap {
        Double($0.filter { $0 != "\n" })
      }
      #expect(abs((seconds ?? 0) - Double(StreamShapes.seconds)) < 0.12)
      try feed.settle()
      let looked = try feed.origin.log(below: "/files/film/").reduce(0) { $0 + $1.bytesSent }
      print("ffprobe: \(looked) of \(size) bytes")
      #expect(looked < size / 2)

      let pictures = try (StreamShapes.frames("v", of: source), StreamShapes.frames("v", of: film))
      #expect(pictures.1.hashes == pictures.0.hashes)
      // A later mount knows the film, and looks for no fragment.
      let digest = try feed.digest(of: film)
      try feed.unmount()
      try feed.origin.reset()
      try feed.mount("/feed")
      #expect(try feed.digest(of: film) == digest)
      #expect(try feed.origin.log(below: "/files/film/").isEmpty)
      #expect(try feed.cache("clear", film).status == 0)
      #expect(try MountedFile(film).read(0..<4096).count == 4096)
      let asked = try feed.origin.log(below: "/files/film/")
      #expect(asked.count <= 8, "\(asked.map(\.range))")
    }

    /// Fragments of half a second cost as much to look for as to read.
    @Test func aFileOfShortFragmentsStaysAFile() throws {
      let feed = try MountedFeed()
      _ = try StreamShapes.pack(.oneFile, in: feed.media + "/film")
      let outcome = try ChildProcess.run([
        "sh", "-c",
        """
        cd '\(feed.media)/film' && ffmpeg -v error -i source.mp4 -c copy -frag_duration 100000 \
          -movflags empty_moov+default_base_moof short.mp4
        """,
      ])
      try #require(outcome.status == 0, "\(outcome.err)")
      try serve(feed, "short.mp4")
      try feed.mount("/feed")
      let truth = try ChildProcess.run(["sha256sum", feed.media + "/film/short.mp4"]).out
      #expect(truth.hasPrefix(try feed.digest(of: feed.path(1))))
    }

    @Test(arguments: [[], ["--streams", "off"]])
    func aWholeFilmStaysAFile(options: [String]) throws {
      let feed = try MountedFeed()
      _ = try StreamShapes.pack(Self.peerTube, in: feed.media + "/film")
      // Without streams a fragmented one does, too.
      let name = options.isEmpty ? "source.mp4" : Self.name
      try serve(feed, name)
      try feed.mount("/feed", options: options)
      let truth = try ChildProcess.run(["sha256sum", feed.media + "/film/" + name]).out
      #expect(truth.hasPrefix(try feed.digest(of: feed.path(1))))
    }

    // MARK: Chapters

    private func chapters(of film: String) throws -> String {
      try ChildProcess.run(["ffprobe", "-v", "error", "-show_chapters", "-of", "csv", film]).out
    }

    private static let document = """
      {"version": "1.2.0", "chapters": [{"startTime": 0, "title": "Begin"},
       {"startTime": 3.5, "title": "Middle"}, {"startTime": 5, "title": "left out", "toc": false}]}
      """
    private static let marks = """
      <psc:chapters version="1.2"><psc:chapter start="0" title="First mark"/>
      <psc:chapter start="00:00:04" title="Second mark"/></psc:chapters>
      """

    @Test(arguments: [true, false])
    func theChaptersOfTheFeedAreInTheFilm(areInTheFeed: Bool) throws {
      let feed = try MountedFeed()
      _ = try StreamShapes.pack(.transport, in: feed.media + "/film")
      try feed.origin.put(Self.document, at: "/c.json", type: "application/json+chapters")
      let link =
        "<podcast:chapters url=\"\(feed.origin.url("/c.json"))\" type=\"application/json\"/>"
      try serve(
        feed, "v.m3u8", more: areInTheFeed ? Self.marks : link, type: "application/x-mpegurl")
      try feed.mount("/feed")
      let film = feed.path(1).dropLast(3) + "mkv"
      let told = try chapters(of: String(film))
      let wanted =
        areInTheFeed ? ["First mark", "Second mark", "4.0"] : ["Begin", "Middle", "3.5"]
      for text in wanted { #expect(told.contains(text), "\(told)") }
      #expect(!told.contains("left out"))
      // Bytes and version stay, whatever becomes of the document.
      let digest = try feed.digest(of: String(film))
      try feed.unmount()
      try feed.origin.remove("/c.json")
      if areInTheFeed { _ = try ChildProcess.run(["rm", "-rf", feed.cacheDirectory]) }
      try feed.mount("/feed")
      #expect(try feed.digest(of: String(film)) == digest)
      #expect(try chapters(of: String(film)).contains(wanted[0]))
    }

    @Test func theChaptersOfAPlaylistAreInTheFilm() throws {
      let feed = try MountedFeed()
      _ = try StreamShapes.pack(.transport, in: feed.media + "/film")
      let outcome = try ChildProcess.run([
        "sh", "-c",
        """
        cd '\(feed.media)/film' && sed '0,/#EXTINF/s//#EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:00:00Z\\n&/' \
          v.m3u8 | sed '$i #EXT-X-DATERANGE:ID="1",CLASS="com.example.chapter",START-DATE="2026-01-01T00:00:03Z",X-TITLE="Third second"' \
          >dated.m3u8
        """,
      ])
      try #require(outcome.status == 0, "\(outcome.err)")
      try serve(feed, "dated.m3u8", type: "application/x-mpegurl")
      try feed.mount("/feed")
      let told = try chapters(of: String(feed.path(1).dropLast(3) + "mkv"))
      #expect(told.contains("Third second") && told.contains("3.0"), "\(told)")
    }

    /// A film does not wait for chapters that do not come.
    @Test func chaptersThatDoNotComeAreLeftOut() throws {
      let feed = try MountedFeed()
      _ = try StreamShapes.pack(.transport, in: feed.media + "/film")
      try feed.origin.put(Self.document, at: "/c.json", type: "application/json")
      try feed.origin.fault(.stall, below: "/c.json")
      let link =
        "<podcast:chapters url=\"\(feed.origin.url("/c.json"))\" type=\"application/json\"/>"
      try serve(feed, "v.m3u8", more: link, type: "application/x-mpegurl")
      try feed.mount("/feed")
      let film = String(feed.path(1).dropLast(3) + "mkv")
      var told = ""
      let wait = try measured { told = try chapters(of: film) }
      #expect(told.isEmpty)
      // ffprobe and the layout take some time as well.
      #expect(wait < Figure.chapterTimeout.time * 5, "\(wait)")
    }
  }
}
