import Testing

@testable import Streams

/// A media playlist becomes a list of places of bytes.
struct MediaPlaylistTests {
  private static let address = "https://h.org/film/720/v.m3u8?token=secret"

  private func playlist(_ lines: String...) throws(StreamError) -> MediaPlaylist {
    try read(["#EXTM3U", "#EXT-X-TARGETDURATION:6"] + lines)
  }

  private func read(
    _ lines: [String], variables: PlaylistVariables = PlaylistVariables()
  ) throws(StreamError) -> MediaPlaylist {
    let text = lines.joined(separator: "\n") + "\n"
    return try MediaPlaylist(Array(text.utf8), at: Self.address, variables: variables)
  }

  @Test func segmentsHaveAddressesTimesAndEndings() throws {
    // As ffmpeg writes them.
    let track = try playlist(
      "#EXT-X-VERSION:3", "#EXT-X-MEDIA-SEQUENCE:0", "#EXTINF:6.006000,", "v0.ts",
      "#EXTINF:5.005,title, with a comma", "/other/v1.ts?x=1", "#EXTINF:4,",
      "https://cdn.org/v2.ts", "#EXT-X-ENDLIST"
    ).track
    #expect(
      track.addresses == [
        "https://h.org/film/720/v0.ts", "https://h.org/other/v1.ts?x=1", "https://cdn.org/v2.ts",
      ])
    #expect(
      track.segments.map(\.duration) == [.milliseconds(6006), .milliseconds(5005), .seconds(4)])
    #expect(track.segments.map(\.start) == [.zero, .milliseconds(6006), .milliseconds(11_011)])
    #expect(track.segments.allSatisfy { $0.part.bytes == nil && $0.part.key == nil })
    #expect(track.container == .transport)
    #expect(track.end == .milliseconds(15_011))
    #expect(track.sections == [StreamSection(start: .zero)])
  }

  @Test func rangesGoOnWhereTheLastOneEnded() throws {
    // As shaka writes them: the place only once. PeerTube's and ffmpeg's have it each time.
    let track = try playlist(
      "#EXT-X-MAP:URI=\"v.mp4\",BYTERANGE=\"800@0\"", "#EXTINF:4,", "#EXT-X-BYTERANGE:1000@868",
      "v.mp4", "#EXT-X-BYTERANGE:500", "#EXTINF:4,", "v.mp4", "#EXTINF:4,",
      "#EXT-X-BYTERANGE:7@5000", "v.mp4", "#EXTINF:4,", "#EXT-X-BYTERANGE:9", "w.mp4",
      "#EXTINF:4,", "#EXT-X-BYTERANGE:3", "v.mp4", "#EXT-X-ENDLIST"
    ).track
    #expect(track.addresses.count == 2)
    #expect(
      track.segments.map(\.part.bytes) == [
        868..<1868, 1868..<2368, 5000..<5007, 0..<9, 5007..<5010,
      ])
    #expect(track.initializations == [StreamPart(address: 0, bytes: 0..<800)])
    #expect(track.segments.allSatisfy { $0.initialization == 0 })
    #expect(track.container == .mp4)
  }

  @Test func anInitializationThatComesAgainIsTheSame() throws {
    let track = try playlist(
      "#EXT-X-MAP:URI=\"i.mp4\"", "#EXTINF:4,", "1.m4s", "#EXT-X-DISCONTINUITY",
      "#EXT-X-MAP:URI=\"ad.mp4\"", "#EXTINF:4,", "2.m4s", "#EXT-X-DISCONTINUITY",
      "#EXT-X-MAP:URI=\"i.mp4\"", "#EXTINF:4,", "3.m4s", "#EXT-X-ENDLIST"
    ).track
    #expect(track.initializations.count == 2)
    #expect(track.segments.map(\.initialization) == [0, 1, 0])
    #expect(track.segments.map(\.section) == [0, 1, 2])
    #expect(track.sections.map(\.start) == [.zero, .seconds(4), .seconds(8)])
  }

  @Test func aKeyHoldsUntilTheNextOne() throws {
    let track = try playlist(
      "#EXT-X-MEDIA-SEQUENCE:7", "#EXTINF:4,", "0.ts",
      "#EXT-X-KEY:METHOD=AES-128,URI=\"k1\",IV=0x0000000000000000000000000000ABCD", "#EXTINF:4,",
      "1.ts", "#EXTINF:4,", "2.ts", "#EXT-X-KEY:METHOD=AES-128,URI=\"k2\"", "#EXTINF:4,", "3.ts",
      "#EXTINF:4,", "4.ts", "#EXT-X-KEY:METHOD=NONE", "#EXTINF:4,", "5.ts", "#EXT-X-ENDLIST"
    ).track
    #expect(track.keys == ["https://h.org/film/720/k1", "https://h.org/film/720/k2"])
    let keys = track.segments.map(\.part.key)
    #expect(keys[0] == nil && keys[5] == nil)
    #expect(keys[1] == SegmentKey(address: 0, vector: 0xABCD) && keys[2] == keys[1])
    // Without IV, the media sequence number counts (RFC 8216 §5.2).
    #expect(keys[3] == SegmentKey(address: 1, vector: 10))
    #expect(keys[4] == SegmentKey(address: 1, vector: 11))
  }

  @Test func anEncryptedInitializationNeedsAVector() throws {
    let key = "#EXT-X-KEY:METHOD=AES-128,URI=\"k\""
    let rest = ["#EXT-X-MAP:URI=\"i.mp4\"", "#EXTINF:4,", "1.m4s", "#EXT-X-ENDLIST"]
    #expect(throws: StreamError.self) { try read(["#EXTM3U", key] + rest) }
    let track = try read(["#EXTM3U", key + ",IV=0x5"] + rest).track
    #expect(track.initializations.first?.key == SegmentKey(address: 0, vector: 5))
  }

  @Test(arguments: [
    ("METHOD=SAMPLE-AES,URI=\"skd://x\",KEYFORMAT=\"com.apple.streamingkeydelivery\"", "FairPlay"),
    (
      "METHOD=SAMPLE-AES-CTR,URI=\"data:x\",KEYFORMAT=\"urn:uuid:edef8ba9-79d6-4ace-a3c8-27dcd51d21ed\"",
      "Widevine"
    ),
    ("METHOD=AES-128,URI=\"x\",KEYFORMAT=\"com.microsoft.playready\"", "PlayReady"),
    ("METHOD=SAMPLE-AES,URI=\"x\"", "SAMPLE-AES"), ("METHOD=AES-256,URI=\"x\"", "AES-256"),
  ])
  func whatNoKeyOpensIsRefusedByName(key: String, name: String) {
    let error = #expect(throws: StreamError.self) {
      try playlist("#EXT-X-KEY:" + key, "#EXTINF:4,", "1.ts", "#EXT-X-ENDLIST")
    }
    guard case .unsupported(let reason)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(reason.contains(name), "\(reason)")
  }

  @Test func aKeyThatOpensIsTakenBesideThoseThatDoNot() throws {
    let track = try playlist(
      "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://x\",KEYFORMAT=\"com.apple.streamingkeydelivery\"",
      "#EXT-X-KEY:METHOD=AES-128,URI=\"k\"", "#EXTINF:4,", "1.ts", "#EXT-X-ENDLIST"
    ).track
    #expect(track.segments[0].part.key == SegmentKey(address: 0, vector: 0))
  }

  @Test func aGapIsNoSegmentThatSomebodyFetches() throws {
    let track = try playlist(
      "#EXTINF:4,", "1.ts", "#EXT-X-GAP", "#EXTINF:4,", "2.ts", "#EXTINF:4,", "3.ts",
      "#EXT-X-ENDLIST"
    ).track
    #expect(track.segments.map(\.isGap) == [false, true, false])
    #expect(track.segments.map(\.start) == [.zero, .seconds(4), .seconds(8)])
  }

  @Test func aDiscontinuityBeginsASection() throws {
    let track = try playlist(
      "#EXT-X-DISCONTINUITY-SEQUENCE:4", "#EXT-X-DISCONTINUITY", "#EXTINF:4,", "1.ts",
      "#EXT-X-DISCONTINUITY", "#EXTINF:4,", "2.ts", "#EXT-X-ENDLIST"
    ).track
    #expect(track.segments.map(\.section) == [0, 1])
    #expect(track.sections.map(\.mediaStart) == [nil, nil])
  }

  @Test(arguments: [[], ["#EXT-X-PLAYLIST-TYPE:EVENT"]])
  func aLiveStreamIsLookedAtAgain(tags: [String]) throws {
    #expect(throws: StreamError.unfinished("the stream is still live; try again when it has ended"))
    {
      try read(["#EXTM3U", "#EXT-X-TARGETDURATION:4"] + tags + ["#EXTINF:4,", "1.ts"])
    }
    let ended = try read(["#EXTM3U"] + tags + ["#EXTINF:4,", "1.ts", "#EXT-X-ENDLIST"])
    #expect(ended.track.segments.count == 1)
  }

  @Test func aPlaylistThatNeverChangesHasAnEnd() throws {
    #expect(
      try playlist("#EXT-X-PLAYLIST-TYPE:VOD", "#EXTINF:4,", "1.ts").track.segments.count == 1)
  }

  @Test func singlePicturesAreNoFilm() {
    #expect(throws: StreamError.self) {
      try playlist("#EXT-X-I-FRAMES-ONLY", "#EXTINF:4,", "1.ts", "#EXT-X-ENDLIST")
    }
  }

  @Test func variablesAreReplaced() throws {
    let master = try MasterPlaylist(
      Array(
        """
        #EXTM3U
        #EXT-X-DEFINE:NAME="host",VALUE="https://cdn.org"
        #EXT-X-STREAM-INF:BANDWIDTH=1
        {$host}/v.m3u8
        """.utf8), at: "https://h.org/m.m3u8")
    #expect(master.variants.map(\.address) == ["https://cdn.org/v.m3u8"])
    let track = try read(
      [
        "#EXTM3U", "#EXT-X-DEFINE:IMPORT=\"host\"", "#EXT-X-DEFINE:QUERYPARAM=\"token\"",
        "#EXT-X-DEFINE:NAME=\"path\",VALUE=\"{$host}/film\"",
        "#EXT-X-MAP:URI=\"{$path}/i.mp4\"", "#EXTINF:4,", "{$path}/1.m4s?t={$token}",
        "#EXT-X-ENDLIST",
      ], variables: master.variables
    ).track
    #expect(
      track.addresses == ["https://cdn.org/film/i.mp4", "https://cdn.org/film/1.m4s?t=secret"])
    #expect(throws: StreamError.self) {
      try playlist("#EXT-X-DEFINE:IMPORT=\"host\"", "#EXTINF:4,", "1.ts", "#EXT-X-ENDLIST")
    }
    #expect(throws: StreamError.self) {
      try playlist(
        "#EXT-X-DEFINE:NAME=\"a\",VALUE=\"b\"", "#EXTINF:4,", "{$c}.ts", "#EXT-X-ENDLIST")
    }
  }

  @Test func withoutDefinitionsBracesAreThemselves() throws {
    let track = try playlist("#EXTINF:4,", "https://h.org/a?x={$y}", "#EXT-X-ENDLIST").track
    #expect(track.addresses == ["https://h.org/a?x={$y}"])
  }

  @Test(arguments: ["\n", "\r\n"])
  func linesMayEndAsWindowsEndsThem(ending: String) throws {
    let lines = ["\u{FEFF}#EXTM3U", "# a comment", "", "#EXTINF:4,", " 1.ts\t", "#EXT-X-ENDLIST"]
    let track = try MediaPlaylist(
      Array(lines.joined(separator: ending).utf8), at: "https://h.org/v.m3u8"
    ).track
    #expect(track.addresses == ["https://h.org/1.ts"])
  }

  @Test(arguments: [
    "file:///etc/passwd", "skd://x", "data:text/plain,x", "ftp://h.org/1.ts",
  ])
  func onlyAddressesOfTheWebAreTaken(address: String) {
    #expect(throws: StreamError.self) { try playlist("#EXTINF:4,", address, "#EXT-X-ENDLIST") }
  }

  @Test(arguments: [
    ["#EXTINF:1e300,", "1.ts"], ["#EXTINF:1e999,", "1.ts"], ["#EXTINF:-1e7,", "1.ts"],
    ["#EXTINF:99999999999999999999,", "1.ts"], ["#EXT-X-MEDIA-SEQUENCE:-1", "#EXTINF:4,", "1.ts"],
    ["#EXTINF:4,", "#EXT-X-BYTERANGE:9223372036854775807@9223372036854775807", "1.ts"],
    ["#EXTINF:4,", "#EXT-X-BYTERANGE:18446744073709551616", "1.ts"],
    ["#EXTINF:4,", "#EXT-X-BYTERANGE:-5@0", "1.ts"],
    ["#EXTINF:4,", "#EXT-X-BYTERANGE:0@0", "1.ts"],
    ["#EXT-X-MEDIA-SEQUENCE:9223372036854775807", "#EXTINF:4,", "1.ts"],
    [
      "#EXT-X-KEY:METHOD=AES-128,URI=\"k\",IV=0x100000000000000000000000000000000", "#EXTINF:4,",
      "1.ts",
    ],
    ["#EXT-X-KEY:METHOD=AES-128,URI=\"k\",IV=12", "#EXTINF:4,", "1.ts"],
    ["#EXT-X-KEY:METHOD=AES-128", "#EXTINF:4,", "1.ts"], ["#EXT-X-KEY:URI=\"k\""],
    ["#EXT-X-MAP:BYTERANGE=\"1@0\""], ["#EXT-X-SKIP:SKIPPED-SEGMENTS=3"],
    ["#EXT-X-STREAM-INF:BANDWIDTH=1", "v.m3u8"], [],
  ])
  func nonsenseIsAnError(lines: [String]) {
    #expect(throws: StreamError.self) { try read(["#EXTM3U"] + lines + ["#EXT-X-ENDLIST"]) }
  }

  @Test func aDocumentWithoutTheFirstTagIsNoPlaylist() {
    for text in ["", "\n", "<html>", "#EXTINF:4,\n1.ts\n#EXT-X-ENDLIST\n"] {
      #expect(throws: StreamError.self) { try MediaPlaylist(Array(text.utf8), at: Self.address) }
    }
  }

  @Test func datedRangesOfChaptersAreChapters() throws {
    let chapters = try playlist(
      "#EXT-X-PROGRAM-DATE-TIME:2024-03-01T10:00:00.500Z", "#EXTINF:60,", "1.ts",
      "#EXT-X-DATERANGE:ID=\"2\",CLASS=\"org.h.chapter\",START-DATE=\"2024-03-01T11:00:30.5+01:00\",X-TITLE=\"Two\"",
      "#EXT-X-DATERANGE:ID=\"1\",CLASS=\"org.h.chapter\",START-DATE=\"2024-03-01T10:00:00.5Z\",DURATION=20,X-TITLE=\"One\"",
      "#EXT-X-DATERANGE:ID=\"3\",CLASS=\"ad\",START-DATE=\"2024-03-01T10:00:10Z\",X-TITLE=\"Buy\"",
      "#EXT-X-ENDLIST"
    ).chapters
    #expect(
      chapters == [
        StreamChapter(start: 0, title: "One"),
        StreamChapter(start: 30_000_000_000, title: "Two"),
      ])
  }
}
