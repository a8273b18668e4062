import Markup
import Testing

@testable import Streams

/// A manifest and subtitles in XML are read from their bytes.
struct XMLElementTests {
  @Test func aManifestIsReadFromItsBytes() throws {
    let document = """
      <?xml version="1.0"?><!DOCTYPE MPD [<!ENTITY x "y">]>
      <MPD xmlns="urn:mpeg:dash:schema:mpd:2011" xmlns:xlink="http://www.w3.org/1999/xlink"
        type="static" mediaPresentationDuration="PT8S"><!-- c --><BaseURL> a&amp;b/ </BaseURL>
      <Period><AdaptationSet mimeType="video/mp4" codecs="avc1.64001f"><Representation id="v">
      <SegmentTemplate media="$Number$.m4s" duration="4"/></Representation></AdaptationSet></Period></MPD>
      """
    let root = try XMLElement.root(of: Array(document.utf8))
    #expect(root.name == "mpd" && root.attributes["mediapresentationduration"] == "PT8S")
    #expect(root.children.first?.text == "a&b/")
    let manifest = try Manifest(Array(document.utf8), at: "https://h.org/m.mpd")
    #expect(
      try manifest.source(StreamWishes()).tracks[0].addresses.prefix(2) == [
        "https://h.org/a&b/1.m4s", "https://h.org/a&b/2.m4s",
      ])
  }

  @Test func aManifestBeyondTheLimitsIsRefused() {
    let many = "<MPD>" + String(repeating: "<S/>", count: PlaylistLimits.elements) + "</MPD>"
    let deep = String(repeating: "<a>", count: 40) + String(repeating: "</a>", count: 40)
    for text in [many, deep] {
      #expect(throws: StreamError.tooLarge("elements of a manifest")) {
        try XMLElement.root(of: Array(text.utf8))
      }
    }
    for text in ["", "<MPD>", "text", "<MPD><a></MPD>"] {
      #expect(throws: StreamError.malformed("a manifest that is not well-formed XML")) {
        try XMLElement.root(of: Array(text.utf8))
      }
    }
    #expect(throws: StreamError.tooLarge("manifest")) {
      try XMLElement.root(of: [UInt8](repeating: 0x20, count: PlaylistLimits.bytes + 1))
    }
  }
}
