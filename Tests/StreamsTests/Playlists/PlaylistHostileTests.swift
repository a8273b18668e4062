import Testing
import TestSupport

@testable import Streams

/// Playlists of strangers cost bounded time and memory, and never end the process.
@Suite(.timeLimit(.minutes(2)))
struct PlaylistHostileTests {
  private func read(_ text: String) throws(StreamError) -> MediaPlaylist {
    try MediaPlaylist(Array(text.utf8), at: "https://h.org/v.m3u8")
  }

  @Test func aMillionSegmentsAreTooMany() {
    let text = "#EXTM3U\n" + String(repeating: "#EXTINF:1,\n1\n", count: 1_000_000)
    #expect(throws: StreamError.tooLarge("segments")) { try read(text + "#EXT-X-ENDLIST\n") }
  }

  @Test func theMostSegmentsAreRead() throws {
    let rows = (0..<PlaylistLimits.segments).map { "#EXTINF:6,\n\($0).ts\n" }.joined()
    let begun = ContinuousClock.now
    let track = try read("#EXTM3U\n" + rows + "#EXT-X-ENDLIST\n").track
    #expect(track.segments.count == PlaylistLimits.segments)
    #expect(ContinuousClock.now - begun < .seconds(20).here)
  }

  @Test func aLargePlaylistIsRefusedUnread() {
    let bytes = [UInt8](repeating: 0x0A, count: PlaylistLimits.bytes + 1)
    #expect(throws: StreamError.tooLarge("playlist")) {
      try MediaPlaylist(bytes, at: "https://h.org/")
    }
  }

  @Test func variablesOfVariablesDoNotExplode() {
    var text = "#EXTM3U\n#EXT-X-DEFINE:NAME=\"a0\",VALUE=\"0123456789\"\n"
    for level in 1..<60 {
      let value = String(repeating: "{$a\(level - 1)}", count: 10)
      text += "#EXT-X-DEFINE:NAME=\"a\(level)\",VALUE=\"\(value)\"\n"
    }
    #expect(throws: StreamError.tooLarge("variable")) { try read(text) }
  }

  @Test func fewLinesDoNotMakeManyAddresses() {
    let value = String(repeating: "x", count: 60_000)
    var text = "#EXTM3U\n#EXT-X-DEFINE:NAME=\"a\",VALUE=\"\(value)\"\n"
    for number in 0..<5000 { text += "#EXTINF:1,\n{$a}\(number)\n" }
    #expect(throws: StreamError.tooLarge("addresses")) { try read(text + "#EXT-X-ENDLIST\n") }
  }

  @Test func manyAttributesAreCutOff() throws {
    let bomb = (0..<5000).map { "A\($0)=1" }.joined(separator: ",")
    #expect(try AttributeList(bomb)["A63"] == "1")
    #expect(try AttributeList(bomb)["A64"] == nil)
    #expect(throws: StreamError.tooLarge("line of a playlist")) {
      try read("#EXTM3U\n#EXT-X-MAP:" + String(repeating: "A=1,", count: 20_000) + "\n")
    }
  }

  @Test func manyVariantsAndRenditionsAreTooMany() {
    let variants = String(repeating: "#EXT-X-STREAM-INF:BANDWIDTH=1\nv\n", count: 1001)
    let sounds = String(
      repeating: "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"b\",URI=\"c\"\n", count: 1001)
    for text in [variants, sounds] {
      #expect(throws: StreamError.self) {
        try MasterPlaylist(Array(("#EXTM3U\n" + text).utf8), at: "https://h.org/")
      }
    }
  }

  /// A loop of master playlists ends, since a master playlist is none of segments.
  @Test func aMasterPlaylistInAnotherOneIsRefused() {
    #expect(throws: StreamError.self) {
      try read("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nm.m3u8\n")
    }
    #expect(PlaylistLimits.hops == 2)
  }

  private static let sample = """
    #EXTM3U
    #EXT-X-VERSION:7
    #EXT-X-DEFINE:NAME="h",VALUE="https://cdn.org/é"
    #EXT-X-MEDIA-SEQUENCE:9
    #EXT-X-KEY:METHOD=AES-128,URI="{$h}/k",IV=0x0123456789abcdef0123456789abcdef
    #EXT-X-MAP:URI="{$h}/i.mp4",BYTERANGE="700@0"
    #EXT-X-PROGRAM-DATE-TIME:2024-03-01T10:00:00.500+01:00
    #EXT-X-DATERANGE:ID="1",CLASS="chapter",START-DATE="2024-03-01T10:00:01Z",X-TITLE="One"
    #EXTINF:6.006,title
    #EXT-X-BYTERANGE:1000@700
    {$h}/v.mp4
    #EXT-X-DISCONTINUITY
    #EXT-X-GAP
    #EXTINF:5,
    #EXT-X-BYTERANGE:1000
    {$h}/v.mp4
    #EXT-X-ENDLIST
    """

  @Test func aPlaylistThatIsCutAnywhereIsReadOrRefused() {
    let bytes = Array(Self.sample.utf8)
    for end in bytes.indices {
      _ = try? MediaPlaylist(Array(bytes[..<end]), at: "https://h.org/v.m3u8")
    }
    #expect((try? MediaPlaylist(bytes, at: "https://h.org/v.m3u8"))?.track.segments.count == 2)
  }

  @Test(arguments: 1...4)
  func bytesThatChangedAreReadOrRefused(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let master = Array(
      (Self.sample + "\n#EXT-X-STREAM-INF:BANDWIDTH=1,CODECS=\"avc1\",RESOLUTION=1x1\nv\n").utf8)
    for _ in 0..<2000 {
      var bytes = master
      for _ in 0...random.below(6) {
        bytes[8 + random.below(bytes.count - 8)] = UInt8(random.below(256))
      }
      if let track = try? MediaPlaylist(bytes, at: "https://h.org/v.m3u8").track {
        #expect(track.segments.allSatisfy { $0.part.address < track.addresses.count })
        #expect(track.segments.allSatisfy { $0.section < track.sections.count })
      }
      if let playlist = try? MasterPlaylist(bytes, at: "https://h.org/v.m3u8") {
        _ = try? PlaylistChoice(playlist, StreamWishes())
      }
    }
  }
}
