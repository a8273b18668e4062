import Testing

@testable import FeedReading

@Suite(.timeLimit(.minutes(1)))
struct FeedErrorTests {
  @Test(arguments: [
    ("", "nothing: the body is empty"), (" \n\t", "nothing: the body is empty"),
    ("{\"version\": 1}", "a JSON document"), ("[1]", "a JSON document"),
    ("<!DOCTYPE html><html><head><title>x</title><br></head></html>", "an HTML page"),
    ("<html xmlns='http://www.w3.org/1999/xhtml'><body/></html>", "an HTML page"),
    ("<p>Not found &nbsp;<br></p><body>", "an HTML page"),
    ("<urlset/>", "a sitemap"), ("<svg/>", "an XML document with the root element <svg>"),
    ("Service unavailable", "plain text"), ("\u{0}\u{1}\u{2}", "binary data"),
    ("<!-- nothing -->", "an XML document without a root element"),
    ("%PDF-1.4\u{1}<x", "binary data"),
    ("\0\0\0 ftypisom\0<", "a video; a list with its address (M3U) is a feed"),
    ("OggS\0\u{2}", "a video; a list with its address (M3U) is a feed"),
    ("\0\0\0 ftypM4A \0", "a sound file; a list with its address (M3U) is a feed"),
    ("ID3\u{4}\0", "a sound file; a list with its address (M3U) is a feed"),
    ("fLaC\0", "a sound file; a list with its address (M3U) is a feed"),
    (
      "OggS\0\u{2}" + String(repeating: "\0", count: 22) + "OpusHead",
      "a sound file; a list with its address (M3U) is a feed"
    ),
  ])
  func whatIsNoFeedIsNamed(text: String, looksLike: String) {
    #expect(throws: FeedError.notAFeed(looksLike: looksLike)) { try parse(text) }
  }

  @Test(arguments: [
    ("#EXTM3U\n#EXT-X-TARGETDURATION:6\n", "an HLS playlist"), ("<MPD/>", "a DASH manifest"),
  ])
  func aStreamInALocalFileIsNoFeedBecauseNoMountCanAskForIt(text: String, looksLike: String) {
    for base in ["", "file:///home/me/film"] {
      #expect(throws: FeedError.notAFeed(looksLike: looksLike)) { try parse(text, base: base) }
    }
  }

  @Test func aMessageIsOneSentence() {
    let error = FeedError.notAFeed(looksLike: "an HTML page")
    #expect("\(error)" == "this is no feed, it looks like an HTML page")
  }

  @Test func whatIsTooLargeIsRefused() {
    let limit = FeedParser.maxBodyBytes
    #expect(throws: FeedError.tooLarge(length: limit + 1, limit: limit)) {
      try FeedParser.parse([UInt8](repeating: 0x20, count: limit + 1), base: "")
    }
  }
}
