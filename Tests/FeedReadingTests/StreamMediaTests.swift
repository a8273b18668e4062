import FoundationEssentials
import Testing

@testable import FeedReading

/// HLS playlists and DASH manifests among the media of an entry.
@Suite(.timeLimit(.minutes(1)))
struct StreamMediaTests {
  private static func choice(
    _ height: Int? = nil, prefer: [String]? = nil, streams: Bool = true, audio: Bool = false
  ) -> MediaChoice {
    var choice = MediaChoice()
    choice.maxHeight = height
    choice.prefer = prefer
    choice.streams = streams
    choice.audio = audio
    return choice
  }

  private func entry(_ content: String, _ choice: MediaChoice = MediaChoice()) throws -> Entry {
    let text = rss("<item><guid>g</guid>\(content)</item>", root: podcastRoot)
    let feed = try FeedParser.parse(
      Array(text.utf8), base: "https://example.org/feed.xml", choice: choice)
    return try #require(feed.entries.first)
  }

  private func content(_ name: String, _ rest: String = "") -> String {
    #"<media:content url="http://x/\#(name)" \#(rest)/>"#
  }

  // MARK: Kinds

  @Test(
    arguments: [
      ("http://x/a.m3u8", nil, .hls), ("http://x/a.M3U8?t=1#x", "video/mp4", .hls),
      ("http://x/a.mpd", nil, .dash), ("http://x/a", "application/dash+xml", .dash),
      ("http://x/a", "video/vnd.mpeg.dash.mpd", .dash),
      ("http://x/a", "application/x-mpegurl", .hls),
      ("http://x/a", "application/vnd.apple.mpegurl", .hls),
      ("http://x/a.m3u", "application/vnd.apple.mpegurl", .hls),
      ("http://x/a.m3u8", "audio/mpegurl", .hls), ("http://x/a.m3u8", "audio/x-mpegurl", .hls),
      // lists of files
      ("http://x/a", "audio/mpegurl", nil), ("http://x/a.m3u", "audio/x-mpegurl", nil),
      ("http://x/a.m3u", nil, nil), ("http://x/a.mp4", "video/mp4", nil),
      ("http://x/m3u8", nil, nil), ("http://x/a.mp4?f=.m3u8", nil, nil), ("", nil, nil),
    ] as [(String, String?, StreamKind?)])
  func typeOrEndingTellsAStream(url: String, type: String?, kind: StreamKind?) {
    var media = Media(url: url)
    media.type = type
    #expect(media.streamKind == kind)
    #expect(media.isStream == (kind != nil))
  }

  @Test(
    arguments: [
      ("a.m3u8", "", "mkv"), ("a.m3u8", #"type="audio/x-mpegurl""#, "mkv"),
      ("a.m3u8", #"type="video/mp4""#, "mkv"), ("a.mpd", #"type="application/dash+xml""#, "mkv"),
      ("a", #"type="application/x-mpegURL""#, "mkv"), ("a.m3u8", #"type="audio/mp4""#, "mka"),
      ("a.m3u8", #"medium="audio""#, "mka"),
      ("a.m3u8", #"type="application/x-mpegURL" medium="audio""#, "mka"),
      ("a.m3u8", #"type="application/x-mpegURL; codecs=&quot;mp4a.40.2&quot;""#, "mka"),
      ("a.m3u8", #"type="application/x-mpegURL; codecs=&quot;avc1.64001f,mp4a.40.2&quot;""#, "mkv"),
    ])
  func aStreamIsAFileWithPictureUnlessItIsSaidToBeSound(
    name: String, rest: String, ending: String
  ) throws {
    let entry = try entry(content(name, rest), Self.choice(audio: true))
    let media = try #require(entry.media)
    #expect(media.isStream && MediaType.fileExtension(of: media) == ending)
    let withoutSound = try self.entry(content(name, rest))
    #expect((withoutSound.media == nil) == (ending == "mka"))
    #expect(withoutSound.skipped == (ending == "mka" ? "audio only" : nil))
  }

  @Test func theLengthOfAPlaylistIsNotThatOfTheFile() throws {
    let media = try entry(content("a.m3u8", #"fileSize="900000" duration="60""#)).media
    #expect(media?.length == 900_000 && media?.credibleLength == nil && media?.pictureLines == nil)
  }

  // MARK: Order

  private static let file = #"<media:content url="http://x/v.mp4" type="video/mp4" height="720"/>"#

  @Test(
    arguments: [
      // as good: the file
      (file + #"<media:content url="http://x/s.m3u8" height="720"/>"#, nil, "v.mp4"),
      (
        #"<media:content url="http://x/v.webm" height="720" bitrate="1"/><media:content url="http://x/s.m3u8" height="720" isDefault="true"/>"#,
        nil, "v.webm"
      ),
      (#"<enclosure url="http://x/s.m3u8"/><media:content url="http://x/v.mp4"/>"#, nil, "v.mp4"),
      // by its quality
      (file + #"<media:content url="http://x/s.m3u8" height="1080"/>"#, nil, "s.m3u8"),
      (file + #"<media:content url="http://x/s-1080p.m3u8"/>"#, nil, "s-1080p.m3u8"),
      (file + #"<media:content url="http://x/s.m3u8" height="1080"/>"#, 720, "v.mp4"),
      (file + #"<media:content url="http://x/s.m3u8"/>"#, nil, "v.mp4"),
      (file + #"<media:content url="http://x/s.m3u8"/>"#, 480, "s.m3u8"),
      (
        #"<media:content url="http://x/v.mp4" height="360"/><media:content url="http://x/s.m3u8"/>"#,
        nil, "s.m3u8"
      ),
      // A stream without a height leaves the estimates for the files alone.
      (
        #"<media:content url="http://x/a.mp4" bitrate="400"/><media:content url="http://x/b.mp4" bitrate="5000"/><media:content url="http://x/s.m3u8"/>"#,
        nil, "b.mp4"
      ),
      // one of two
      (
        #"<media:content url="http://x/s.mpd"/><media:content url="http://x/s.m3u8" isDefault="true"/>"#,
        nil, "s.m3u8"
      ),
      // before sound, and before what is made while it is read
      (#"<enclosure url="http://x/a.mp3"/><media:content url="http://x/s.m3u8"/>"#, nil, "s.m3u8"),
      (
        #"<enclosure url="http://x/download/videos/generate/1.mp4" type="video/mp4"/><media:content url="http://x/s.m3u8"/>"#,
        nil, "s.m3u8"
      ),
    ] as [(String, Int?, String)])
  func aStreamRanksByItsQualityLikeAFile(content: String, limit: Int?, name: String) throws {
    let entry = try entry(content, Self.choice(limit))
    #expect(entry.media?.url == "http://x/\(name)")
  }

  @Test func theUsersOrderOfCodecsCountsBeforeThePlainFile() throws {
    let content =
      Self.file
      + #"<media:content url="http://x/s.mpd" type="application/dash+xml; codecs=&quot;av01.0.05M.08,opus&quot;" height="720"/>"#
    #expect(try entry(content, Self.choice(prefer: ["av1"])).media?.isStream == true)
    #expect(try entry(content, Self.choice(prefer: ["h264"])).media?.isStream == false)
    #expect(try entry(content, Self.choice(prefer: ["flac"])).media?.isStream == false)
  }

  @Test(arguments: [false, true])
  func withoutStreamsTheOptionThatTakesThemIsTold(hasSound: Bool) throws {
    let sound = hasSound ? #"<enclosure url="http://x/a.mp3" type="audio/mpeg"/>"# : ""
    let stream = #"<media:content url="http://x/s.m3u8" height="720"/>"#
    let entry = try entry(sound + stream, Self.choice(streams: false))
    #expect(entry.media == nil)
    #expect(entry.skipped?.hasPrefix("only an HLS or DASH stream") == true)
    #expect(entry.option == (hasSound ? "--audio" : "--streams on"))
    let file = try self.entry(Self.file + stream, Self.choice(streams: false))
    #expect(file.media?.url == "http://x/v.mp4")
    #expect(Media.forms(try #require(file.media), file.alternates).count == 1)
  }

  @Test func aStreamThatItsListCallsLiveIsLeftOut() throws {
    let feed = try parse(
      "#EXTM3U\n#EXTINF:-1,News\nhttp://x/news.m3u8\n#EXTINF:90,Film\nfilm.m3u8\n")
    #expect(feed.entries.map(\.skipped) == ["a live stream", nil])
  }

  @Test func aFileCanStandForAStreamButNoStreamForAFile() throws {
    let stream = try entry(Self.file + #"<media:content url="http://x/s.m3u8" height="1080"/>"#)
    #expect(Media.forms(try #require(stream.media), stream.alternates).count == 2)
    let file = try entry(Self.file + #"<media:content url="http://x/s.m3u8" height="480"/>"#)
    let media = try #require(file.media)
    #expect(Media.forms(media, file.alternates).map(\.url) == ["http://x/v.mp4"])
    #expect(Media.forms(media, file.alternates, streams: true).count == 2)
  }

  // MARK: Fragmented files

  private static let playlist = #"<media:content url="http://x/hls/master.m3u8"/>"#

  private func fragments(_ lines: [Int]) -> String {
    lines.map {
      content("hls/u-\($0)-fragmented.mp4", #"type="video/mp4" height="\#($0)""#)
    }.joined()
  }

  @Test(arguments: [[1080, 480], [1080, 480, 0]])
  func aFragmentedFileIsPlayedThroughItsPlaylist(lines: [Int]) throws {
    let item = fragments(lines) + Self.playlist
    for limit in [nil, 720, 100] {
      let entry = try entry(item, Self.choice(limit))
      #expect(entry.media?.url == "http://x/hls/master.m3u8")
      let words = MediaReason.words(
        for: try #require(entry.media), among: entry.alternates, Self.choice(limit))
      #expect(
        words
          == (lines.contains(0)
            ? "the only form that can be played"
            : "the other forms are fragmented files, which players read as a whole"))
    }
    let without = try entry(item, Self.choice(streams: false))
    #expect(without.media?.url == (lines.contains(0) ? nil : "http://x/hls/u-1080-fragmented.mp4"))
  }

  @Test(arguments: [(nil, "hls/master.m3u8"), (720, "web-720.mp4"), (480, "hls/master.m3u8")])
  func aPlaylistHasTheLinesOfItsFragmentedFiles(limit: Int?, name: String) throws {
    let item = content("web-720.mp4", #"type="video/mp4""#) + fragments([1080, 480])
    #expect(try entry(item + Self.playlist, Self.choice(limit)).media?.url == "http://x/\(name)")
  }

  // MARK: The reason

  @Test(
    arguments: [
      ("", nil, "the only form that can be played"),
      (#"<media:content url="http://x/v.mp4"/>"#, nil, "1080 lines, the most of 2 forms"),
      (
        #"<media:content url="http://x/v-1080.mp4"/>"#, "v-1080.mp4",
        "a file, which feedfs prefers to a stream of the same height"
      ),
    ] as [(String, String?, String)])
  func theReasonTellsWhyAStreamIsPlayed(other: String, name: String?, words: String) throws {
    let entry = try entry(#"<media:content url="http://x/s.m3u8" height="1080"/>"# + other)
    let media = try #require(entry.media)
    #expect(media.url == "http://x/\(name ?? "s.m3u8")")
    #expect(MediaReason.words(for: media, among: entry.alternates, MediaChoice()) == words)
  }

  // MARK: The choice

  @Test func aChoiceOfBeforeStreamsTakesThemAndIsWrittenAsBefore() throws {
    let old = Data(#"{"audio":false,"pages":true}"#.utf8)
    let choice = try JSONDecoder().decode(MediaChoice.self, from: old)
    #expect(choice.streams && choice.languages.isEmpty)
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    #expect(try encoder.encode(choice) == old)
  }

  @Test func streamsAndLanguagesAreKept() throws {
    var choice = Self.choice(streams: false)
    choice.languages = ["de", "en"]
    let kept = try JSONDecoder().decode(MediaChoice.self, from: JSONEncoder().encode(choice))
    #expect(kept == choice && kept != MediaChoice())
    choice.streams = true
    choice.languages = []
    #expect(choice == MediaChoice())
  }

  // MARK: A stream as the feed

  private static let documents = [
    ("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\na.m3u8\n", StreamKind.hls),
    ("#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\na.ts\n", .hls),
    (#"<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="dynamic"/>"#, .dash),
  ]

  @Test(arguments: documents)
  func aPlaylistOrManifestIsAFeedOfItself(text: String, kind: StreamKind) throws {
    let feed = try parse(text, base: "https://h.org/films/A%20film.x?token=1")
    let entry = try #require(feed.entries.first)
    #expect(feed.entries.count == 1 && feed.kind == .stream && feed.title == "A film")
    #expect(entry.title == "A film" && entry.skipped == nil)
    #expect(entry.media?.url == "https://h.org/films/A%20film.x?token=1")
    #expect(entry.media?.streamKind == kind)
    let moved = try parse(text, base: "https://cdn.h.org/other/name?token=2")
    #expect(moved.entries.first?.id == entry.id)
    var choice = MediaChoice()
    choice.streams = false
    let off = try FeedParser.parse(Array(text.utf8), base: "https://h.org/a", choice: choice)
    #expect(off.entries.first?.option == "--streams on")
  }
}
