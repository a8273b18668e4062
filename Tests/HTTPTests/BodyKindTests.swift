import Testing

@testable import HTTP

/// A file of unknown type is proved when it is opened.
@Suite(.timeLimit(.minutes(1)))
struct BodyKindTests {
  @Test(arguments: [
    Array("%PDF-1.7".utf8), Array("PK\u{3}\u{4}\u{14}".utf8), [0x1F, 0x8B, 0x08, 0],
    [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], [0xFF, 0xD8, 0xFF, 0xE0],
    Array("GIF89a".utf8),
    Array("Rar!\u{1A}\u{7}\u{0}".utf8), [0x7F, 0x45, 0x4C, 0x46, 2],
    Array(" \n<!DOCTYPE HTML>".utf8),
  ])
  func theFirstBytesShowWhatIsNoFilm(bytes: [UInt8]) throws {
    let fault = try #require(BodyKind.refusal(ofBeginning: bytes))
    #expect(fault.isVerdict && fault.description.contains("instead of video or audio"))
    #expect(fault.description.contains("by its first bytes"))
  }

  /// Where streams are files, feedfs reads their playlists.
  @Test(arguments: [
    (ListKind.torrent, "it is a torrent, which feedfs cannot read, instead of video or audio"),
    (.hls, "it is an HLS playlist instead of video or audio"),
  ])
  func aListIsNamedAndCalledUnreadableOnlyIfItIs(kind: ListKind, words: String) {
    #expect(ResponseFault.list(kind).description == words)
  }

  @Test(arguments: [
    [0, 0, 0, 0x20] + Array("ftypisom".utf8), [0x1A, 0x45, 0xDF, 0xA3], [0x47, 0x40, 0, 0x10],
    Array("OggS".utf8), Array("ID3".utf8), [0xFF, 0xFB, 0x90, 0x64], [0xFF, 0xF1, 0x50, 0x80],
    Array("RIFF".utf8), [0, 0, 1, 0xBA], [0x30, 0x26, 0xB2, 0x75], Array("FLV\u{1}".utf8), [],
    [0xFF],
    Array("PK".utf8), Array("GIF".utf8),
  ])
  func aFilmIsNone(bytes: [UInt8]) {
    #expect(BodyKind.refusal(ofBeginning: bytes) == nil)
  }

  @Test(
    arguments: [
      ("application/pdf", true), ("application/zip", true), ("font/woff2", true),
      ("image/webp", true), ("application/octet-stream", false), ("text/plain", false), ("", false),
      ("application/ogg", false), ("binary/octet-stream", false),
    ])
  func theMediaTypeSpeaksForBytesThatSayNothing(type: String, isRefused: Bool) {
    #expect((BodyKind.refusal(of: type) != nil) == isRefused)
  }

  @Test(arguments: [
    ([0, 0, 0, 0x20] + Array("ftypisom".utf8), "text/html", true),
    ([0x1A, 0x45, 0xDF, 0xA3], "application/zip", true),
    ([0x47, 0x40, 0x11, 0x10], "image/jpeg", true),
    (Array("ID3\u{4}".utf8), "text/xml", true),
    ([0xFF, 0xFB, 0x90, 0x64], "application/json", true),
    (Array("#EXTM3U\n".utf8), "text/html", false), (Array("Not found".utf8), "text/html", false),
    (Array("Going on".utf8), "text/html", false), ([1, 2, 3, 4, 5, 6, 7, 8], "text/html", false),
    ([1, 2, 3, 4, 5, 6, 7, 8], "video/mp4", true), ([0xFF, 0xD8, 0xFF, 0xE0], "video/mp4", false),
    (Array("RIFF\0\0\0\0WEBPVP8 ".utf8), "image/webp", false),
    (Array("RIFF\0\0\0\0AVI LIST".utf8), "image/webp", true),
  ])
  func theFirstBytesCountMoreThanTheType(bytes: [UInt8], type: String, isFilm: Bool) {
    #expect((BodyKind.refusal(of: bytes, called: type) == nil) == isFilm)
  }

  /// A segment may begin as a picture, or be encrypted. A page is none.
  @Test(arguments: [
    ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], true), ([0xFF, 0xD8, 0xFF, 0xE0], true),
    ([0x9A, 0x01, 0x77, 0xEE, 0x03, 0xC0], true), (Array("<html><body>".utf8), false),
    (Array("Not found".utf8), false), (Array("#EXTM3U\n".utf8), false),
  ])
  func aSegmentMayBeInDisguise(bytes: [UInt8], isTaken: Bool) {
    for type in ["text/html", "text/css"] {
      let fault = BodyKind.refusal(of: bytes, called: type, isSegment: true)
      #expect((fault == nil) == isTaken)
    }
    #expect(BodyKind.refusal(of: "image/png", isSegment: true) == nil)
  }

  @Test(arguments: [
    (Array("<!DOCTYPE html><p>Hello".utf8), "image/jpeg", true),
    (Array("<html>".utf8), "text/vtt", true), (Array("Sorry".utf8), "text/html", true),
    (Array("WEBVTT\n".utf8), "text/html", false), ([0xFF, 0xD8, 0xFF, 0xE0], "text/html", false),
    (Array("1\r\n00:00:01,000".utf8), "text/html; charset=utf-8", false),
    (Array("Sorry".utf8), "text/plain", false),
  ])
  func aSidecarIsAPageByItsBytesFirst(bytes: [UInt8], type: String, isPage: Bool) {
    #expect(BodyKind.isPage(bytes, called: type) == isPage)
  }
}
