import Streams
import Testing

@testable import FeedReading

/// Documents of other programs become the values that streams are made of.
@Suite(.timeLimit(.minutes(1)))
struct StreamOfferTests {
  private func offers(_ formats: String) throws -> [OfferedFormat] {
    let text = #"{"title": "x", "formats": [\#(formats)]}"#
    return try #require(try ResolverOutput.media(Array(text.utf8), now: 1_767_225_600)).offers
  }

  /// The forms of a large video site, shortened.
  private static let pairs = #"""
    {"format_id": "18", "ext": "mp4", "protocol": "https", "url": "https://v.example/18", "height": 360, "vcodec": "avc1.42001E", "acodec": "mp4a.40.2", "tbr": 345},
    {"format_id": "140-de", "ext": "m4a", "container": "m4a_dash", "protocol": "https", "url": "https://v.example/140d", "vcodec": "none", "acodec": "mp4a.40.2", "abr": 129, "language": "de", "language_preference": -1},
    {"format_id": "140", "ext": "m4a", "container": "m4a_dash", "protocol": "https", "url": "https://v.example/140", "vcodec": "none", "acodec": "mp4a.40.2", "abr": 129, "language": "en", "language_preference": 10},
    {"format_id": "251", "ext": "webm", "container": "webm_dash", "protocol": "https", "url": "https://v.example/251", "vcodec": "none", "acodec": "opus", "abr": 140, "language": "en", "language_preference": 10},
    {"format_id": "136", "ext": "mp4", "container": "mp4_dash", "protocol": "https", "url": "https://v.example/136", "height": 720, "vcodec": "avc1.64001F", "acodec": "none", "tbr": 1500},
    {"format_id": "137", "ext": "mp4", "container": "mp4_dash", "protocol": "https", "url": "https://v.example/137", "filesize": 777, "height": 1080, "width": 1920, "vcodec": "avc1.640028", "acodec": "none", "tbr": 4500, "available_at": 1767225700, "http_headers": {"User-Agent": "M"}},
    {"format_id": "248", "ext": "webm", "container": "webm_dash", "protocol": "https", "url": "https://v.example/248", "height": 1080, "vcodec": "vp9", "acodec": "none", "tbr": 2500},
    {"format_id": "401", "ext": "mp4", "protocol": "https", "url": "https://v.example/401", "height": 2160, "vcodec": "av01.0.12M.08", "acodec": "none", "has_drm": true},
    {"format_id": "hls", "ext": "mp4", "protocol": "m3u8_native", "url": "https://v.example/137.m3u8", "manifest_url": "https://v.example/m.m3u8", "height": 1080, "vcodec": "avc1.640028", "acodec": "mp4a.40.2", "tbr": 6000}
    """#

  @Test func aPairIsTakenForItsHeight() throws {
    var wishes = StreamWishes()
    wishes.maxHeight = 720
    guard case .source(let source) = try OfferedChoice(try offers(Self.pairs), wishes) else {
      Issue.record("a playlist")
      return
    }
    #expect(
      source.tracks.map(\.addresses) == [["https://v.example/136"], ["https://v.example/140"]])
    #expect(source.tracks.map(\.contents) == [.picture, .sound])
    #expect(source.tracks.map(\.container) == [.mp4, .mp4] && source.choice == "136/140")
    wishes.languages = ["de"]
    guard case .source(let german) = try OfferedChoice(try offers(Self.pairs), wishes) else {
      return
    }
    #expect(german.tracks[1].addresses == ["https://v.example/140d"])
  }

  @Test func ofEqualsTheFilesWinOverThePlaylist() throws {
    guard case .source(let source) = try OfferedChoice(try offers(Self.pairs), StreamWishes())
    else {
      Issue.record("a playlist")
      return
    }
    let picture = source.tracks[0]
    #expect(picture.addresses == ["https://v.example/137"])
    #expect(picture.division == .file(index: nil, length: 777))
    #expect(picture.headers == ["User-Agent": "M"] && picture.begins == 1_767_225_700)
    #expect(picture.width == 1920 && picture.bandwidth == 4_500_000)
  }

  @Test func thePlaylistOfAllIsRead() throws {
    // yt-dlp takes a variant without CODECS as complete, and it may be silent.
    let formats = try offers(
      #"""
      {"format_id": "1", "ext": "mp4", "protocol": "m3u8_native", "url": "https://v.example/v.m3u8", "manifest_url": "https://v.example/m.m3u8", "http_headers": {"Referer": "r"}}
      """#)
    #expect(
      try OfferedChoice(formats, StreamWishes())
        == .playlist(address: "https://v.example/m.m3u8", headers: ["Referer": "r"], begins: nil))
  }

  @Test func segmentsOfAManifestAreATrack() throws {
    let formats = try offers(
      #"""
      {"format_id": "v", "ext": "mp4", "container": "mp4_dash", "protocol": "http_dash_segments", "url": "https://v.example/m.mpd", "vcodec": "avc1.64001f", "acodec": "none", "height": 360, "fragment_base_url": "https://v.example/d/", "fragments": [{"path": "i.mp4"}, {"path": "1.m4s", "duration": 4.004}, {"url": "https://w.example/2.m4s", "duration": 2}]},
      {"format_id": "a", "ext": "m4a", "protocol": "https", "url": "https://v.example/a", "vcodec": "none", "acodec": "mp4a.40.2"}
      """#)
    guard case .source(let source) = try OfferedChoice(formats, StreamWishes()) else {
      Issue.record("a playlist")
      return
    }
    let track = source.tracks[0]
    #expect(
      track.addresses == [
        "https://v.example/d/i.mp4", "https://v.example/d/1.m4s", "https://w.example/2.m4s",
      ])
    #expect(track.initializations == [StreamPart(address: 0)])
    #expect(track.segments.map(\.start) == [.zero, .milliseconds(4004)])
    #expect(track.hasNominalDurations && track.end == .milliseconds(6004))
  }

  @Test(arguments: [
    (#"{"format_id": "1", "protocol": "https", "url": "https://h/1", "has_drm": true}"#, "DRM"),
    (#"{"format_id": "1", "protocol": "rtmp", "url": "https://h/1"}"#, "rtmp"),
    (
      #"{"format_id": "1", "protocol": "https", "url": "https://h/1", "vcodec": "dvh1.05"}"#, "dvh1"
    ),
    ("", "no video"),
  ])
  func whatCannotBeReadHasAReason(format: String, reason: String) throws {
    let formats = format.isEmpty ? [] : try offers(format)
    let error = #expect(throws: StreamError.self) { try OfferedChoice(formats, StreamWishes()) }
    #expect("\(String(describing: error))".contains(reason))
  }

  /// The sound of a film whose pictures are all protected is no film.
  @Test func soundBesideAProtectedPictureIsRefused() throws {
    let formats = try offers(
      #"""
      {"format_id": "v", "protocol": "https", "url": "https://h/v", "vcodec": "avc1.4d401e", "acodec": "none", "height": 720, "has_drm": true},
      {"format_id": "a", "protocol": "https", "url": "https://h/a", "vcodec": "none", "acodec": "mp4a.40.2"}
      """#)
    let error = #expect(throws: StreamError.self) { try OfferedChoice(formats, StreamWishes()) }
    #expect("\(String(describing: error))".contains("DRM"))
    var wishes = StreamWishes()
    wishes.soundOnly = true
    _ = try OfferedChoice(formats, wishes)
  }

  @Test func chaptersOfPodcastsAndResolversAreRead() {
    let document = #"""
      {"version": "1.2.0", "chapters": [{"startTime": 90.5, "title": "Two", "endTime": 100},
       {"startTime": 0, "title": "One &amp; only"}, {"startTime": 5, "toc": false, "title": "Ad"},
       {"startTime": -1, "title": "x"}, {"startTime": 1e99, "title": "x"}, {"startTime": 7}, 3]}
      """#
    #expect(
      ChapterDocument.chapters(Array(document.utf8)) == [
        StreamChapter(start: 0, title: "One & only"),
        StreamChapter(start: 90_500_000_000, title: "Two"),
      ])
    #expect(ChapterDocument.chapters(Array("{}".utf8)) == nil)
    #expect(ChapterDocument.chapters(Array("[".utf8)) == nil)
  }
}
