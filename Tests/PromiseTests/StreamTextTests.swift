import TestSupport
import Testing

extension Promises {
  /// Subtitles of streams are files of text beside them.
  @Suite(
    .timeLimit(.minutes(3)), .enabled(if: canMount && isInstalled("ffmpeg"), "ffmpeg is missing"))
  struct StreamTextTests {
    // MARK: WebVTT in MP4, which ffmpeg cannot write

    private static func number(_ value: Int, _ width: Int = 4) -> [UInt8] {
      (0..<width).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    private static func box(_ type: String, _ parts: [UInt8]...) -> [UInt8] {
      let body = Array(parts.joined())
      return number(body.count + 8) + Array(type.utf8) + body
    }

    private static func words(_ values: Int...) -> [UInt8] { values.flatMap { number($0) } }

    private static let zeros = [UInt8](repeating: 0, count: 60)

    private static let entry = box("wvtt", words(0, 1), box("vttC", Array("WEBVTT".utf8)))
    private static let timedEntry = box(
      "stpp", words(0, 1), Array("http://www.w3.org/ns/ttml".utf8), [0, 0, 0])

    private static func head(_ entry: [UInt8]) -> [UInt8] {
      box("ftyp", Array("iso6".utf8), words(0))
        + box(
          "moov", box("mvhd", words(0, 0, 0, 1000, 0), zeros),
          box(
            "trak", box("tkhd", words(3, 0, 0, 1, 0, 0), zeros),
            box(
              "mdia", box("mdhd", words(0, 0, 0, 1000, 0, 0)),
              box("hdlr", words(0, 0), Array("text".utf8), words(0, 0, 0), [0]),
              box(
                "minf",
                box(
                  "stbl",
                  box("stsd", words(0, 1), entry))))),
          box("mvex", box("trex", words(0, 1, 1, 0, 0, 0))))
    }

    /// A segment of two seconds: one without words, and one with them.
    private static func segment(_ place: Int) -> [UInt8] {
      segment(place, [box("vtte"), box("vttc", box("payl", Array("Words \(place)".utf8)))])
    }

    private static func timed(_ time: String, _ words: String) -> [UInt8] {
      Array(
        ("<?xml version=\"1.0\"?><tt xmlns=\"http://www.w3.org/ns/ttml\" "
          + "xmlns:tts=\"http://www.w3.org/ns/ttml#styling\"><body><div><p \(time)>\(words)</p></div>"
          + "</body></tt>").utf8)
    }

    /// The same in TTML: each document tells more than its sample lasts.
    private static func timedSegment(_ place: Int) -> [UInt8] {
      let words = timed("begin=\"\(place * 2 + 1)s\" end=\"\(place * 2 + 2)s\"", "Words \(place)")
      return segment(place, [timed("", " "), words])
    }

    private static func segment(_ place: Int, _ samples: [[UInt8]]) -> [UInt8] {
      func moof(_ offset: Int) -> [UInt8] {
        box(
          "moof", box("mfhd", words(0, 1)),
          box(
            "traf", box("tfhd", words(0x2_0000, 1)), box("tfdt", words(0, place * 2000)),
            box(
              "trun", words(0x301, 2, offset),
              samples.flatMap { words(1000, $0.count) })))
      }
      return moof(moof(0).count + 8) + box("mdat", Array(samples.joined()))
    }

    // MARK: The streams

    private static let plain = "WEBVTT\n\n00:01.000 --> 00:02.000\nWords 0\n"

    private func serve(_ feed: MountedFeed, _ document: String, at path: String, _ type: String)
      throws
    {
      try feed.origin.put(document, at: path, type: type)
      try feed.origin.put(
        """
        <rss version="2.0"><channel><title>t</title><item><guid>1</guid><title>1</title>
        <enclosure length="0" type="\(type)" url="\(feed.origin.url(path))"/></item></channel></rss>
        """, at: "/feed", type: "application/rss+xml")
      try feed.origin.put(Self.plain, at: "/de.vtt", type: "text/vtt")
      try feed.origin.put(
        Self.timed(
          "begin=\"00:00:01\" dur=\"1.5s\"", "Uno <span tts:fontStyle=\"italic\">&amp; dos</span>"),
        at: "/es.ttml", type: "application/ttml+xml")
      try feed.origin.put(Self.head(Self.entry), at: "/t-init.mp4", type: "application/mp4")
      try feed.origin.put(Self.head(Self.timedEntry), at: "/f-init.mp4", type: "application/mp4")
      try feed.origin.put(
        Self.head(Self.entry) + (0..<4).flatMap { Self.segment($0) }, at: "/w.mp4",
        type: "application/mp4")
      for place in 0..<4 {
        try feed.origin.put(
          Self.timedSegment(place), at: "/f-\(place).m4s", type: "application/mp4")
        try feed.origin.put(
          Self.segment(place), at: "/t-\(place).m4s", type: "application/mp4")
      }
    }

    private func words(_ feed: MountedFeed, _ name: String) throws -> String {
      _ = try MountedFile(feed.mountPoint + "/0001.mkv").read(0..<4096)
      #expect(try eventually { try feed.names(in: "").contains(name) })
      return try ChildProcess.run(["cat", feed.mountPoint + "/" + name]).out
    }

    private func expectAll(_ text: String) {
      #expect(text.hasPrefix("WEBVTT") && text.ranges(of: "-->").count == 4, "\(text)")
      // The first sound comes before the first picture, by less than a tenth of a second.
      #expect(text.contains(/00:00:03\.0\d\d --> 00:00:04\.0\d\d\nWords 1\n/), "\(text)")
    }

    @Test func textInTheBoxesOfAPlaylistIsAFile() throws {
      let feed = try MountedFeed()
      _ = try StreamShapes.pack(.group, in: feed.media + "/film")
      let rows = (0..<4).map { "#EXTINF:2,\n/t-\($0).m4s\n" }.joined()
      try feed.origin.put(
        "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-MAP:URI=\"/t-init.mp4\"\n\(rows)#EXT-X-ENDLIST\n",
        at: "/t.m3u8", type: "application/x-mpegurl")
      let master = try ChildProcess.run(["cat", feed.media + "/film/m.m3u8"]).out
        .replacing("#EXT-X-STREAM-INF:", with: "#EXT-X-STREAM-INF:SUBTITLES=\"s\",")
        .replacing("URI=\"", with: "URI=\"/files/film/")
        .split(separator: "\n").map { $0.hasSuffix(".m3u8") ? "/files/film/\($0)" : "\($0)" }
      try serve(
        feed,
        (master + [
          #"#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",LANGUAGE="en",NAME="English",URI="/t.m3u8""#
        ]).joined(separator: "\n"), at: "/m.m3u8", "application/x-mpegurl")
      try feed.mount("/feed")
      expectAll(try words(feed, "0001.en.vtt"))
    }

    @Test func textsOfAManifestAreFiles() throws {
      let feed = try MountedFeed()
      _ = try StreamShapes.pack(.timeline, in: feed.media + "/film")
      let texts = """
        <AdaptationSet contentType="text" lang="de" mimeType="text/vtt"><Representation id="t"
        bandwidth="1"><BaseURL>/de.vtt</BaseURL></Representation></AdaptationSet>
        <AdaptationSet contentType="text" lang="en" mimeType="application/mp4" codecs="wvtt">
        <SegmentTemplate media="/t-$Number$.m4s" initialization="/t-init.mp4" duration="2" timescale="1"
        startNumber="0" endNumber="3"/><Representation id="e" bandwidth="1"/></AdaptationSet>
        <AdaptationSet contentType="text" lang="fr" mimeType="application/mp4" codecs="stpp">
        <SegmentTemplate media="/f-$Number$.m4s" initialization="/f-init.mp4" duration="2" timescale="1"
        startNumber="0" endNumber="3"/><Representation id="f" bandwidth="1"/></AdaptationSet>
        <AdaptationSet contentType="text" lang="es" mimeType="application/ttml+xml"><Representation
        id="s" bandwidth="1"><BaseURL>/es.ttml</BaseURL></Representation></AdaptationSet>
        <AdaptationSet contentType="text" lang="it" mimeType="application/mp4" codecs="stpp.ttml.im1i">
        <SegmentTemplate media="/i-$Number$.m4s" initialization="/i.mp4" duration="2" timescale="1"/>
        <Representation id="i" bandwidth="1"/></AdaptationSet>
        <AdaptationSet contentType="text" lang="pt" mimeType="application/mp4" codecs="wvtt">
        <Representation id="w" bandwidth="1"><BaseURL>/w.mp4</BaseURL></Representation>
        </AdaptationSet></Period>
        """
      let manifest = try ChildProcess.run(["cat", feed.media + "/film/m.mpd"]).out
        .replacing("</Period>", with: texts)
        .replacing("<Period ", with: "<BaseURL>/files/film/</BaseURL><Period ")
      try serve(feed, manifest, at: "/m.mpd", "application/dash+xml")
      try feed.mount("/feed")
      expectAll(try words(feed, "0001.en.vtt"))
      #expect(try words(feed, "0001.de.vtt") == Self.plain)
      expectAll(try words(feed, "0001.fr.vtt"))
      expectAll(try words(feed, "0001.pt.vtt"))
      #expect(
        try words(feed, "0001.es.vtt")
          == "WEBVTT\n\n00:00:01.000 --> 00:00:02.500\nUno <i>&amp; dos</i>\n\n")
      #expect(try !feed.names(in: "").contains { $0.contains(".it.") })
    }
  }
}
