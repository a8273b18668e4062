import Streams
import Testing

@testable import FeedReading

/// The choice among the formats of a page.
@Suite(.timeLimit(.minutes(1)))
struct FormatChoiceTests {
  /// Reads "name height picture/sound ending".
  private static func format(_ text: String) -> PageFormat {
    let words = text.split(separator: " ").map(String.init)
    var format = PageFormat(url: "https://v.example/\(words[0]).\(words[3])")
    format.name = words[0]
    format.height = Int(words[1])
    let tracks = words[2].split(separator: "/").map { $0 == "?" ? nil : String($0) }
    format.picture = PageFormat.Track(tracks[0])
    format.sound = PageFormat.Track(tracks[1])
    format.isStream = words[3] == "m3u8"
    return format
  }

  struct Row: Sendable {
    let formats: [String]
    var height: Int?
    var audio = false
    var before: String?
    var prefer: [String]?
    let best: String?
  }

  @Test(arguments: [
    // the height decides
    Row(formats: ["a 360 avc1/mp4a mp4", "b 720 avc1/mp4a mp4"], best: "b"),
    Row(formats: ["a 360 avc1/mp4a mp4", "b 720 vp9/opus webm"], best: "b"),
    // up to the limit, and above it only where there is nothing else
    Row(formats: ["a 720 ?/? mp4", "b 1080 ?/? mp4"], height: 720, best: "a"),
    Row(formats: ["a 1440 ?/? mp4", "b 1080 ?/? mp4"], height: 720, best: "b"),
    // then what every player knows
    Row(formats: ["a 720 vp9/opus webm", "b 720 avc1/mp4a mp4"], best: "b"),
    Row(formats: ["a 720 av01/opus mp4", "b 720 avc1.64001f/mp4a.40.2 mp4"], best: "b"),
    // unless the user prefers another one
    Row(
      formats: ["a 720 vp9/opus webm", "b 720 avc1/mp4a mp4"], prefer: ["webm", "mp4"], best: "a"),
    Row(formats: ["a 720 avc1/mp4a mp4", "b 720 av01/mp4a mp4"], prefer: ["av1"], best: "b"),
    Row(formats: ["a 720 ?/? webm", "b 720 ?/? mp4"], prefer: ["vp9"], best: "a"),
    Row(formats: ["a 720 vp9/opus webm", "b 1080 avc1/mp4a mp4"], prefer: ["webm"], best: "b"),
    // then the order of the answer
    Row(formats: ["a 720 ?/? mp4", "b 720 ?/? mp4"], best: "a"),
    Row(formats: ["a - ?/? mp4", "b - ?/? mp4"], best: "a"),
    // never a picture without sound, or a stream
    Row(formats: ["a 1080 avc1/none mp4", "b 360 avc1/mp4a mp4"], best: "b"),
    Row(formats: ["a 1080 avc1/none mp4", "b - none/mp4a m4a"], best: nil),
    Row(formats: ["a 1080 ?/? m3u8"], best: nil),
    // sound alone where it is wanted, and only if there is no picture
    Row(formats: ["a - none/mp4a m4a"], best: nil),
    Row(formats: ["a - none/mp4a m4a"], audio: true, best: "a"),
    Row(formats: ["a - ?/? mp3"], best: nil),
    Row(formats: ["a - none/mp4a m4a", "b 240 avc1/mp4a mp4"], audio: true, best: "b"),
    // what was read before stays
    Row(formats: ["a 1080 ?/? mp4", "b 360 ?/? mp4"], before: "b", best: "b"),
    Row(formats: ["a 1080 ?/? mp4", "b 360 ?/? mp4"], before: "gone", best: "a"),
    Row(formats: [], best: nil),
  ])
  func theBestFormatIsChosen(row: Row) {
    var choice = MediaChoice()
    choice.maxHeight = row.height
    choice.audio = row.audio
    choice.prefer = row.prefer
    let ranked = FormatChoice(choice, before: row.before).ranked(row.formats.map(Self.format))
    #expect(ranked.first?.name == row.best, "\(row)")
  }

  @Test func theFormatOfTheCachedLengthIsChosen() {
    var formats = ["a 1080 ?/? mp4", "b 360 ?/? mp4"].map(Self.format)
    formats[1].length = 5000
    #expect(FormatChoice(MediaChoice(), length: 5000).ranked(formats).first?.name == "b")
  }

  /// Sources of a page have no names.
  @Test func aFormatWithoutANameIsKnownAgainByItsAddressThoughItsQueryIsAnother() {
    let old = PageFormat(url: "https://v.example/b.mp4?token=1#t=2")
    let formats = ["a", "b"].map { PageFormat(url: "https://v.example/\($0).mp4?token=2") }
    let choice = FormatChoice(MediaChoice(), before: old.mark)
    #expect(choice.ranked(formats).map(\.url) == formats.reversed().map(\.url))
    #expect(!old.mark.contains("token"))
    #expect(PageFormat(url: String(repeating: "x", count: 1 << 20)).mark.count == 200)
  }

  struct Refusal: Sendable {
    let formats: [String]
    var streams = true
    /// Whether the version that is cached was made of a stream.
    var isStream: Bool?
    let reason: String
  }

  @Test(arguments: [
    Refusal(formats: [], reason: "the page offers no video"),
    Refusal(formats: [], streams: false, reason: "the page offers no video"),
    Refusal(formats: ["a - none/mp4a m4a"], reason: "the page offers only sound; --audio takes it"),
    Refusal(
      formats: ["a - ?/? mp3"], streams: false,
      reason: "the page offers only sound; --audio takes it"),
    // streams are off
    Refusal(
      formats: ["a 1080 ?/? m3u8"], streams: false,
      reason: "the page offers only HLS or DASH streams; --streams on makes a file of them"),
    Refusal(
      formats: ["a 1080 avc1/none mp4", "b - none/mp4a m4a"], streams: false,
      reason:
        "the page offers picture and sound only in separate files; --streams on makes a file of them"
    ),
    // a file stays a file, and a stream a stream
    Refusal(
      formats: ["a 1080 ?/? m3u8"], isStream: false,
      reason:
        "the page offers only HLS or DASH streams; the cached version is a file, so they cannot continue it"
    ),
    Refusal(
      formats: ["a 1080 ?/? m3u8"], streams: false, isStream: false,
      reason:
        "the page offers only HLS or DASH streams; the cached version is a file, so they cannot continue it"
    ),
    Refusal(
      formats: ["a 1080 ?/? mp4"], streams: false, isStream: true,
      reason: "the cached file was made of a stream; --streams on plays it again"),
  ])
  func whereThereIsNoneItSaysWhy(row: Refusal) {
    var wanted = MediaChoice()
    wanted.streams = row.streams
    let choice = FormatChoice(wanted)
    var media = PageMedia()
    media.formats = row.formats.map(Self.format)
    let stream = StreamWishes(wanted).flatMap {
      choice.stream(of: media, isStream: row.isStream, $0)
    }
    #expect(stream == nil && (row.isStream == true || choice.ranked(media.formats).isEmpty))
    #expect(choice.reason(for: media, isStream: row.isStream) == row.reason)
  }

  /// Remembered answers keep such forms in `offers` alone.
  @Test func whatNoFileCanBeMadeOfSaysWhy() {
    var offer = OfferedFormat(name: "a", address: "https://v.example/a.m3u8")
    (offer.transport, offer.height) = (.playlist, 1080)
    var media = PageMedia()
    media.offers = [offer]
    #expect(
      FormatChoice(MediaChoice()).reason(for: media, isStream: false)
        .contains("the cached version is a file"))
    media.offers[0].isProtected = true
    for streams in [true, false] {
      var choice = MediaChoice()
      choice.streams = streams
      #expect(
        FormatChoice(choice).reason(for: media, isStream: nil)
          == "the video is protected by DRM, so feedfs cannot read it")
    }
  }

  // MARK: Expiry

  private static let now = 1_767_225_600

  @Test(arguments: [
    ("https://v.example/1.mp4", nil), ("https://v.example/1.mp4?expires=1767225660", 60),
    ("https://v.example/1.mp4?a=b&Expires=1767225660&Signature=x", 60),
    ("https://r1.googlevideo.com/videoplayback?expire=1767247200&ei=x", 21_600),
    ("https://v.example/expire/1767225660/ei/x/1.mp4", 60),
    ("https://v.example/exp=1767225660~acl=%2F1%2F%2A~hmac=abc/1.mp4", 60),
    ("https://v.example/1.mp4?hdnts=st=1767225600~exp=1767225660~acl=/*~hmac=abc", 60),
    (
      "https://v.example/1.mp4?X-Amz-Date=20260101T000000Z&X-Amz-Expires=300&X-Amz-Signature=a", 300
    ),
    // the first of several counts; what is past, far or no number means something else
    ("https://v.example/1.mp4?expires=1767225900&exp=1767225660", 60),
    ("https://v.example/1.mp4?expires=1767225599", nil),
    ("https://v.example/1.mp4?expires=3600", nil),
    ("https://v.example/1.mp4?expires=9999999999", nil),
    ("https://v.example/1.mp4?expires=never", nil),
    ("https://v.example/1.mp4?expires=999999999999999999999", nil),
    ("https://v.example/1.mp4#expires=1767225660", nil), ("", nil),
  ])
  func anAddressSaysWhenItExpires(address: String, seconds: Int?) {
    #expect(AddressExpiry.time(of: address, now: Self.now) == seconds.map { Self.now + $0 })
  }

  @Test(arguments: [
    ("https://v.example/1.mp4", false), ("https://v.example/1.mp4?Expires=1767225660", true),
    // It may be past: then it has run out.
    ("https://v.example/1.mp4?Expires=1767225599", true),
    ("https://v.example/1?e=1767225599", true),
    ("https://v.example/1.mp4?X-Amz-Date=20260101T000000Z&X-Amz-Expires=300", true),
    ("https://v.example/1.mp4?X-Goog-Date=20260101T000000Z&X-Goog-Expires=300", true),
    ("https://v.example/1.mp4?sv=2024-11-04&se=2026-01-01T00%3A05%3A00Z&sig=a", true),
    ("https://v.example/expire/1767225599/1.mp4", true),
    ("https://v.example/1.mp4?expires=3600", false), ("https://v.example/1.mp4?e=5", false),
    ("https://v.example/1.mp4?expires=999999999999999999", false), ("", false),
  ])
  func anAddressSaysThatItExpires(address: String, isStated: Bool) {
    #expect(AddressExpiry.isStated(in: address, now: Self.now) == isStated)
  }
}
