import Streams
import Testing

@testable import FeedReading

/// The output of resolvers: lines, and documents in the shape of `yt-dlp -J`.
@Suite(.timeLimit(.minutes(1)))
struct ResolverOutputTests {
  private static let now = 1_767_225_600

  private func media(_ text: String) throws -> PageMedia? {
    try ResolverOutput.media(Array(text.utf8), now: Self.now)
  }

  private func fault(_ text: String) -> String? {
    do {
      _ = try media(text)
      return nil
    } catch {
      return "\(error)"
    }
  }

  /// A document as yt-dlp prints it for a site with all kinds of formats; shortened.
  private static let site = #"""
    {"id": "x1", "title": "A \u001b[31mtitle", "duration": 61.5, "thumbnail": "https://i.example/1.jpg",
     "live_status": "not_live", "is_live": false, "_type": "video",
     "subtitles": {"en": [{"ext": "json3", "url": "https://t.example/j"},
                          {"ext": "srt", "url": "https://t.example/s"},
                          {"ext": "vtt", "url": "https://t.example/v", "name": "English"}],
                   "live_chat": [{"ext": "json", "url": "https://t.example/c", "protocol": "youtube_live_chat"}],
                   "de": [{"ext": "ttml", "url": "https://t.example/t"}]},
     "automatic_captions": {"fr": [{"ext": "vtt", "url": "https://t.example/fr"}]},
     "formats": [
      {"format_id": "sb0", "ext": "mhtml", "protocol": "mhtml", "url": "https://i.example/sb", "vcodec": "none", "acodec": "none"},
      {"format_id": "hls-1080", "ext": "mp4", "protocol": "m3u8_native", "url": "https://v.example/a.m3u8", "height": 1080, "vcodec": "avc1.640028", "acodec": "mp4a.40.2"},
      {"format_id": "140", "ext": "m4a", "protocol": "https", "url": "https://v.example/140", "vcodec": "none", "acodec": "mp4a.40.2", "abr": 129.5, "filesize": 1000},
      {"format_id": "137", "ext": "mp4", "protocol": "https", "url": "https://v.example/137", "height": 1080, "vcodec": "avc1.640028", "acodec": "none"},
      {"format_id": "18", "ext": "mp4", "protocol": "https", "url": "https://v.example/18?expire=1767232800&sig=secret", "height": 360, "vcodec": "avc1.42001E", "acodec": "mp4a.40.2", "filesize": 5242880, "tbr": 345.2,
       "http_headers": {"User-Agent": "Mozilla/5.0", "Referer": "https://www.example/"}},
      {"format_id": "dash", "ext": "mp4", "protocol": "http_dash_segments", "url": "https://v.example/m.mpd", "fragments": [{"url": "x"}]},
      {"format_id": "drm", "ext": "mp4", "protocol": "https", "url": "https://v.example/drm", "height": 2160, "has_drm": true}
     ]}
    """#

  @Test func aDocumentOfYtDlpIsRead() throws {
    let media = try #require(try media(Self.site))
    #expect(media.title == "A [31mtitle" && media.duration == 61.5)
    #expect(media.thumbnail == "https://i.example/1.jpg" && media.obstacle == nil)
    #expect(media.formats.map(\.name) == ["hls-1080", "140", "137", "18", "dash", "drm"])
    #expect(media.formats.map(\.isStream) == [true, false, false, false, true, true])
    let film = try #require(media.formats.first { $0.name == "18" })
    #expect(film.height == 360 && film.length == 5_242_880 && film.bitrate == 345.2)
    #expect(film.headers == ["User-Agent": "Mozilla/5.0", "Referer": "https://www.example/"])
    #expect(film.expires == 1_767_232_800)
    #expect(FormatChoice(MediaChoice()).ranked(media.formats).map(\.name) == ["18"])
    #expect(
      media.subtitles == [
        Subtitle(url: "https://t.example/v", type: "text/vtt", lang: "en"),
        Subtitle(url: "https://t.example/t", type: "application/ttml+xml", lang: "de"),
      ])
  }

  @Test func oneLineIsOneAddress() throws {
    let url = "https://v.example/1.mp4?expires=1767232800"
    for text in ["\(url)\n", url, "warning: x\n\(url)\n", "\(url)\r\n\(url)\r\n", "\n\n\(url)\n"] {
      let media = try media(text)
      #expect(media?.formats.map(\.url) == [url], "\(text)")
      #expect(media?.formats.first?.expires == 1_767_232_800)
    }
  }

  @Test func twoLinesAreAPictureAndItsSound() throws {
    let media = try #require(try media("https://v.example/1\nhttps://v.example/2\n"))
    #expect(media.formats.map(\.sound) == [.missing, .unknown])
    #expect(media.formats.map(\.picture) == [.unknown, .missing])
    #expect(media.offers.map(\.address) == ["https://v.example/1", "https://v.example/2"])
    #expect(FormatChoice(MediaChoice()).ranked(media.formats).isEmpty)
    let choice = FormatChoice(MediaChoice()).stream(of: media, isStream: nil, StreamWishes())
    let tracks = if case .source(let source) = choice { source.tracks } else { [TrackSource]() }
    #expect(tracks.map(\.contents) == [.picture, .sound])
  }

  @Test func threeLinesAreAnErrorThatSaysWhatToPrint() {
    let fault = fault("https://v.example/1\nhttps://v.example/2\nhttps://v.example/3\n") ?? ""
    #expect(fault.contains("printed 3 addresses") && fault.contains("a picture and its sound"))
  }

  @Test(arguments: ["", "\n", "null", "null\n", "ERROR: no", "[]", "file:///etc/passwd\n"])
  func nothingIsNoMedia(text: String) throws {
    #expect(try media(text) == nil)
  }

  /// Output of yt-dlp for a page with several videos, and for a channel with its tabs.
  @Test func theFirstOfAListCounts() throws {
    let film = #"{"title": "t", "url": "http://v.example/1.mp4", "formats": null, "ext": "mp4"}"#
    for text in [
      film, #"{"_type": "playlist", "entries": [null, \#(film), {"url": "http://v.example/2"}]}"#,
      #"{"_type": "playlist", "entries": [{"_type": "playlist", "entries": [\#(film)]}]}"#,
      "WARNING: something\n" + film,
    ] {
      #expect(try media(text)?.formats.map(\.url) == ["http://v.example/1.mp4"], "\(text)")
    }
    #expect(try media(#"{"_type": "playlist", "entries": []}"#)?.formats == [])
  }

  @Test(arguments: [
    (#""is_live": true"#, "the video is still live; try again when it has ended"),
    (#""live_status": "is_upcoming""#, "the video has not begun yet; try again later"),
    (#""live_status": "post_live""#, "the video is still live; try again when it has ended"),
  ])
  func whatIsLiveIsNoFile(member: String, obstacle: String) throws {
    let media = try #require(
      try media(#"{\#(member), "url": "http://v.example/1.mp4", "protocol": "http"}"#))
    #expect(media.obstacle?.words == obstacle)
    #expect(FormatChoice(MediaChoice()).reason(for: media, isStream: nil) == obstacle)
  }

  /// As yt-dlp writes the cookies of a format.
  @Test func cookiesOfAFormatAreAHeaderField() throws {
    let text =
      #"{"formats": [{"url": "http://v/1", "cookies": "a=1; Domain=.v; Path=/; Secure; Expires=1; b=\"x y\"; Domain=v"}]}"#
    #expect(try media(text)?.formats.first?.headers == ["Cookie": #"a=1; b="x y""#])
  }

  @Test func anAddressThatWorksLaterSaysWhen() throws {
    let text =
      #"{"formats": [{"url": "http://v/1", "available_at": \#(Self.now + 9)}, {"url": "http://v/2", "available_at": 5}]}"#
    #expect(try media(text)?.formats.map(\.begins) == [Self.now + 9, nil])
  }

  // MARK: Hostile

  /// Members of wrong types, one at a time.
  @Test(arguments: [
    "title", "duration", "thumbnail", "formats", "subtitles", "http_headers", "is_live",
    "live_status",
    "entries", "url", "ext", "expires", "filesize", "height",
  ])
  func aMemberOfAnyTypeIsNoTrouble(member: String) throws {
    for value in [
      "null", "true", "7", "-1e400", "1e308", "\"\"", "\"x\"", "[]", "[[[]]]", "{}", "{\"a\": [1]}",
      "[null, 7, {\"url\": 7}]", "[{\"url\": \"javascript:alert(1)\"}, {\"url\": \"/etc/passwd\"}]",
    ] {
      let text =
        #"{"formats": [{"url": "http://v.example/1.mp4", "\#(member)": \#(value)}], "\#(member)": \#(value)}"#
      let found = try media(text)
      #expect(found?.formats.allSatisfy { $0.url.hasPrefix("http") } ?? true, "\(text)")
    }
  }

  @Test func aDocumentThatWasCutIsRefusedAtEveryPlace() {
    let bytes = Array(Self.site.utf8)
    for end in stride(from: 10, to: bytes.count - 1, by: 7) {
      #expect(throws: ResolverOutput.Fault.self, "\(end)") {
        _ = try ResolverOutput.media(Array(bytes[..<end]), now: Self.now)
      }
    }
  }

  @Test func aDocumentThatIsTooDeepOrTooLongIsRefused() {
    let deep = String(repeating: "[", count: 100_000)
    #expect(fault(#"{"formats": "# + deep) != nil)
    #expect(fault(#"{"a": "# + deep + String(repeating: "]", count: 100_000) + "}") != nil)
    let many = String(repeating: "1,", count: 600_000)
    #expect(fault(#"{"a": [\#(many)1]}"#) != nil)
  }

  @Test func formatsWithoutNumberAreLookedAtInPart() throws {
    let one = #"{"url":"http://v.example/1.mp4"},"#
    let text = #"{"formats":["# + String(repeating: one, count: 50_000) + "{}]}"
    #expect(try media(text)?.formats.count == PageMedia.maxFormats)
  }
}
