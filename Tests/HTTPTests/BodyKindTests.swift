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
  func theMediaTypeShowsIt(type: String, isRefused: Bool) {
    #expect((BodyKind.refusal(of: type) != nil) == isRefused)
  }
}
