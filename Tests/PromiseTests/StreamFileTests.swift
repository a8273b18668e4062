import Control
import Glibc
import TestSupport
import Testing

extension Promises {
  /// HLS and DASH streams, and pictures with their sound apart, are files.
  @Suite(
    .timeLimit(.minutes(10)), .enabled(if: canMount && isInstalled("ffmpeg"), "ffmpeg is missing"))
  struct StreamFileTests {
    /// Mounts a feed with one page, for which a resolver prints the addresses of a stream.
    private func mount(
      _ shape: StreamShape, query: String = ""
    ) throws -> (feed: MountedFeed, source: String) {
      let feed = try MountedFeed()
      let source = try StreamShapes.pack(shape, in: feed.media + "/film")
      let pages = try WebPages.resolved(1, by: feed)
      try answer(shape, query, pages)
      try feed.mount("/pages")
      return (feed, source)
    }

    private func answer(_ shape: StreamShape, _ query: String, _ pages: WebPages) throws {
      let addresses = shape.entry.map { pages.feed.origin.url("/files/film/\($0)\(query)") }
      try pages.answer(1, addresses.joined(separator: "\n") + "\n")
    }

    private func requests(_ feed: MountedFeed) throws -> [LoggedRequest] {
      try feed.origin.log(below: "/files/film/")
    }

    // MARK: The film

    @Test(arguments: StreamShape.all)
    func eachShapeDecodesToThePicturesAndSoundsOfItsSource(_ shape: StreamShape) throws {
      let (feed, source) = try mount(shape)
      let film = feed.path(1)
      let pictures = try (StreamShapes.frames("v", of: source), StreamShapes.frames("v", of: film))
      let folder = feed.media + "/film/"
      // WebM cuts the sound that a decoder makes before the first that is heard elsewhere.
      let heard = shape.apart.isEmpty ? source : folder + shape.apart[1]
      let sounds = try (StreamShapes.frames("a", of: heard), StreamShapes.frames("a", of: film))
      #expect(pictures.1.hashes == pictures.0.hashes)
      // The sound that a decoder makes before the first that is heard may be there or not.
      let surplus = sounds.1.hashes.count - sounds.0.hashes.count
      #expect((-1...1).contains(surplus))
      let (first, second) = (sounds.0.hashes, sounds.1.hashes)
      #expect(second.dropFirst(max(0, surplus)) == first.dropFirst(max(0, -surplus)))
      // Files apart tell by themselves how far their picture is from their sound.
      let apart = shape.entry.count == 2 ? shape.entry : shape.apart
      let own =
        apart.isEmpty
        ? (pictures.0.start, sounds.0.start)
        : try (
          StreamShapes.frames("v", of: folder + apart[0]).start,
          StreamShapes.frames("a", of: folder + apart[1]).start
        )
      let distance = pictures.1.start - sounds.1.start - (own.0 - own.1)
      // A frame of sound that the source hides is 1024 samples long.
      let hidden = [0, 1024.0 / 48000, -1024.0 / 48000]
      #expect(hidden.contains { abs(distance - $0) <= 0.0011 }, "\(distance)")
      #expect(try feed.status().files[0].state == .complete)
    }

    @Test(arguments: [StreamShape.transport, .group, .pair, .webm, .encrypted])
    func itsBytesAreTheSameInAnyOrderAfterARestartAndAtOtherAddresses(
      _ shape: StreamShape
    ) throws {
      let (feed, _) = try mount(shape)
      let digest = try feed.digest(of: feed.path(1))
      let validator = try feed.details(of: feed.path(1)).validator
      let size = try #require(try feed.status().files[0].size)
      try feed.unmount()
      _ = try ChildProcess.run(["rm", "-rf", feed.cacheDirectory])
      let pages = try WebPages(feed)
      try answer(shape, "?token=other", pages)
      _ = try ChildProcess.run(["sh", "-c", "rm -f \(feed.folder)/.local/state/feedfs/*/resolved*"])
      try feed.mount("/pages")
      // Readers in an order of their own.
      var random = SeededRandom(seed: 18)
      let pieces = stride(from: 0, to: size, by: 50_000).shuffled(using: &random)
      let readers = try (0..<6).map { _ in try MountedFile(feed.path(1)) }
      for (number, start) in pieces.enumerated() {
        _ = try readers[number % readers.count].read(start..<min(size, start + 50_000))
      }
      #expect(try feed.digest(of: feed.path(1)) == digest)
      #expect(try feed.details(of: feed.path(1)).validator == validator)
    }

    @Test(arguments: [StreamShape.transport, .pair])
    func aKilledMountGoesOnWithTheSameFilm(_ shape: StreamShape) throws {
      let (feed, _) = try mount(shape)
      let film = try MountedFile(feed.path(1))
      let head = try film.read(0..<4096)
      try feed.kill()
      try feed.mount("/pages")
      let digest = try feed.digest(of: feed.path(1))
      #expect(try MountedFile(feed.path(1)).read(0..<4096) == head)
      try feed.unmount()
      // Whole, it needs no origin.
      feed.origin.stop()
      try feed.mount("/pages", options: ["--offline"])
      #expect(try feed.digest(of: feed.path(1)) == digest)
    }

    /// Frames of AC-3 and MP3 have no heads that a file leaves out, so that their slots need more room.
    @Test(arguments: ["ac3", "eac3", "mp3"])
    func packedSoundOfAnyCodecIsAFile(_ codec: String) throws {
      let feed = try MountedFeed()
      let outcome = try ChildProcess.run([
        "sh", "-c",
        """
        cd '\(feed.media)' && ffmpeg -v error -f lavfi -i anoisesrc=seed=7:r=48000:duration=8 -c:a \(codec) \
          -b:a 192k -f segment -segment_format \(codec) -segment_time 2 -segment_list v.m3u8 \
          -segment_list_type m3u8 s%d.\(codec)
        """,
      ])
      try #require(outcome.status == 0, "\(outcome.err)")
      try feed.origin.put(
        """
        <rss version="2.0"><channel><title>t</title><item><guid>1</guid><title>1</title>
        <enclosure length="0" type="application/x-mpegurl" url="\(feed.origin.url("/files/v.m3u8"))"/>
        </item></channel></rss>
        """, at: "/sound", type: "application/rss+xml")
      try feed.mount("/sound", options: ["--audio"])
      let name = try #require(try feed.names(in: "").first { $0.hasPrefix("0001.") })
      let frames = try StreamShapes.frames("a", of: feed.mountPoint + "/" + name)
      let least = codec == "mp3" ? 8 * 48_000 / 1152 : 8 * 48_000 / 1536
      #expect(frames.hashes.count >= least)
    }

    // MARK: Costs

    @Test func aKnownLayoutCostsNoRequestASegment() throws {
      let (feed, _) = try mount(.transport)
      _ = try MountedFile(feed.path(1)).read(0..<4096)
      let size = try #require(try feed.status().files[0].size)
      try feed.unmount()
      try feed.origin.reset()
      try feed.mount("/pages")
      _ = try MountedFile(feed.path(1)).read(size - 4096..<size)
      // The playlist, and the last segments.
      let asked = try requests(feed)
      let isNoSize = asked.allSatisfy {
        ($0.askedFor?.count ?? .max) > Figure.streamBeginning.bytes
      }
      #expect(isNoSize, "\(asked.map(\.target))")
    }

    /// Three for the layout, and two for each of the first fetches.
    @Test func aPairWithIndexesNeedsFewRequests() throws {
      let (feed, _) = try mount(.pair)
      _ = try MountedFile(feed.path(1)).read(0..<4096)
      let asked = try requests(feed)
      #expect(asked.count <= 9, "\(asked.map { ($0.target, $0.range) })")
    }

    // MARK: Faults

    @Test(arguments: [
      ("#EXT-X-TARGETDURATION:2\n#EXTINF:2,\ns0000.ts\n", "live"),
      (
        "#EXT-X-TARGETDURATION:2\n#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"k\"\n#EXTINF:2,\ns0000.ts\n#EXT-X-ENDLIST\n",
        "SAMPLE-AES"
      ),
      ("#EXT-X-TARGETDURATION:2\n#EXTINF:2,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n", "address"),
      ("#EXT-X-TARGETDURATION:2\n#EXTINF:2,\nhttp://10.0.0.1/s.ts\n#EXT-X-ENDLIST\n", "10.0.0.1"),
    ])
    func aPlaylistOfWhichNoFileCanBeMadeSaysWhy(playlist: String, reason: String) throws {
      let feed = try MountedFeed()
      try feed.origin.put("#EXTM3U\n" + playlist, at: "/v.m3u8", type: "application/x-mpegurl")
      let pages = try WebPages.resolved(1, by: feed)
      try pages.answer(1, feed.origin.url("/v.m3u8") + "\n")
      try feed.mount("/pages")
      // The second open knows the answer of the first.
      for _ in 1...2 { #expect(try feed.failure(ofReading: feed.path(1)) == EIO) }
      #expect(try feed.origin.log(below: "/v.m3u8").count == 1)
      let failure = try #require(try feed.status().files[0].failure)
      #expect(failure.what.contains(reason), "\(failure.what)")
    }

    // MARK: Told

    @Test func itsTracksAndSlotsAreTold() throws {
      let (feed, _) = try mount(.group)
      let film = try MountedFile(feed.path(1))
      _ = try film.read(0..<4096)
      let stream = try #require(try feed.details(of: feed.path(1)).stream)
      #expect(stream.tracks.count == 2 && stream.slots >= 8, "\(stream)")
      #expect(stream.tracks[0].hasPrefix("h264, 320 × 180"))
      #expect(stream.choice != nil)
      #expect(feed.attributes(of: feed.path(1)).contains("user.feedfs.stream="))
    }

    @Test func subtitlesInSegmentsAreOneFileBesideIt() throws {
      let feed = try MountedFeed()
      _ = try StreamShapes.pack(.transport, in: feed.media + "/film")
      func text(_ number: Int) -> String {
        """
        WEBVTT
        X-TIMESTAMP-MAP=MPEGTS:126000,LOCAL:00:00:00.000

        00:00:0\(number * 2).500 --> 00:00:0\(number * 2 + 1).000
        Words \(number)

        """
      }
      for number in 0..<4 {
        try feed.origin.put(text(number), at: "/t\(number).vtt", type: "text/vtt")
      }
      let rows = (0..<4).map { "#EXTINF:2,\n/t\($0).vtt\n" }.joined()
      try feed.origin.put(
        "#EXTM3U\n#EXT-X-TARGETDURATION:2\n\(rows)#EXT-X-ENDLIST\n", at: "/t.m3u8",
        type: "application/x-mpegurl")
      try feed.origin.put(
        """
        #EXTM3U
        #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",LANGUAGE="en",NAME="English",URI="/t.m3u8"
        #EXT-X-STREAM-INF:BANDWIDTH=1000000,SUBTITLES="s"
        /files/film/v.m3u8
        """, at: "/m.m3u8", type: "application/x-mpegurl")
      let pages = try WebPages.resolved(1, by: feed)
      try pages.answer(1, feed.origin.url("/m.m3u8") + "\n")
      try feed.mount("/pages")
      _ = try MountedFile(feed.path(1)).read(0..<4096)
      #expect(try eventually { try feed.names(in: "").contains("0001.en.vtt") })
      let words = try ChildProcess.run(["cat", feed.mountPoint + "/0001.en.vtt"]).out
      #expect(words.hasPrefix("WEBVTT") && words.ranges(of: "Words").count == 4, "\(words)")
      // The first sound comes before the first picture, by less than a tenth of a second.
      #expect(words.contains("00:00:00.4") || words.contains("00:00:00.5"), "\(words)")
    }
  }
}
