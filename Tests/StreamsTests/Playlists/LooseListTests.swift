import Testing

@testable import Streams

/// A playlist that breaks a rule of form, and that players read all the same, is the playlist that
/// was meant.
struct LooseListTests {
  private static let plain = """
    #EXTM3U
    #EXT-X-VERSION:3
    #EXT-X-TARGETDURATION:5
    #EXT-X-MEDIA-SEQUENCE:7
    #EXT-X-PLAYLIST-TYPE:VOD
    #EXT-X-KEY:METHOD=AES-128,URI="k.key"
    #EXTINF:5.000,
    1.ts
    #EXTINF:5.000,
    #EXT-X-BYTERANGE:100@20
    2.ts
    #EXT-X-ENDLIST

    """

  private static func read(_ text: String) throws(StreamError) -> MediaPlaylist {
    try MediaPlaylist(Array(text.utf8), at: "https://h.org/film/v.m3u8")
  }

  @Test(arguments: [
    // Blanks.
    ("SEQUENCE:7", "SEQUENCE: 7"), ("SEQUENCE:7", "SEQUENCE:\t7 "), ("SEQUENCE:7", "SEQUENCE : 7"),
    ("#EXTINF", "  #EXTINF"), ("1.ts", "\t1.ts  "), ("#EXT-X-ENDLIST", "#EXT-X-ENDLIST "),
    ("#EXTINF:5.000,", "#EXTINF: 5.000 ,"), ("100@20", " 100 @ 20 "),
    // Lines.
    ("\n", "\r\n"), ("\n", "\r"), ("\n", "\n\n"), ("#EXT-X-ENDLIST\n", "#EXT-X-ENDLIST"),
    ("#EXTM3U", "\u{FEFF}#EXTM3U"), ("#EXTM3U", "\n \r\n#EXTM3U"),
    ("#EXT-X-ENDLIST\n", "#EXT-X-ENDLIST\n\0\0\0"), ("1.ts", "# a comment\n1.ts"),
    // The first word.
    ("#EXTM3U", "#EXTM3U x-tvg-url=\"http://h.org/epg.xml\""), ("#EXTM3U", "#EXTM3U:"),
    // Numbers.
    ("SEQUENCE:7", "SEQUENCE:+7"), ("SEQUENCE:7", "SEQUENCE:7.0"), ("SEQUENCE:7", "SEQUENCE:007"),
    ("VERSION:3", "VERSION:3.000"), ("#EXTINF:5.000,", "#EXTINF:5"),
    ("#EXTINF:5.000,", "#EXTINF:+5.0,"), ("#EXTINF:5.000,", "#EXTINF:5.0e+00,"),
    ("#EXTINF:5.000,", "#EXTINF:0.5E1,"), ("#EXTINF:5.000,", "#EXTINF:-5,"),
    ("#EXTINF:5.000,", "#EXTINF:5,000,"), ("#EXTINF:5.000,", "#EXTINF:5.000 s,"),
    // A missing duration is that of the segment before, and at first the target.
    ("#EXTINF:5.000,", "#EXTINF:,"), ("#EXTINF:5.000,", "#EXTINF:"),
    ("#EXTINF:5.000,\n1.ts", "1.ts"), ("#EXTINF:5.000,\n#EXT-X-BYTE", "#EXT-X-BYTE"),
    ("#EXTINF:5.000,", "#EXTINF:title"),
    // Words.
    ("AES-128", "aes-128"),
    // Attributes.
    ("METHOD=AES-128,URI=\"k.key\"", "URI=\"k.key\",METHOD=AES-128"),
    ("URI=\"k.key\"", "URI=k.key"), ("URI=\"k.key\"", "URI='k.key'"),
    ("AES-128,URI=\"k.key\"", "AES-128 , URI = \"k.key\" ,"), (":METHOD", ": METHOD"),
    ("AES-128,", "\"AES-128\",,"), ("URI=\"k.key\"", "X-OTHER=\"a,b=c\",URI=\"k.key\""),
  ])
  func itIsThePlaylistThatWasMeant(part: String, looser: String) throws {
    #expect(Self.plain.contains(part))
    let text = Self.plain.replacing(part, with: looser)
    #expect(try Self.read(text) == Self.read(Self.plain))
  }

  @Test(arguments: ["VOD", " VOD", "vod ", "VOD\t"])
  func aTypeIsAnEndToo(type: String) throws {
    let text = Self.plain.replacing("#EXT-X-ENDLIST\n", with: "").replacing(
      "TYPE:VOD", with: "TYPE:\(type)")
    #expect(try Self.read(text) == Self.read(Self.plain))
  }

  @Test(arguments: ["#EXT-X-ENDLIST", " #EXT-X-ENDLIST ", "#EXT-X-ENDLIST\0"])
  func anEndNeedsNoType(end: String) throws {
    let text = Self.plain.replacing("#EXT-X-PLAYLIST-TYPE:VOD\n", with: "")
      .replacing("#EXT-X-ENDLIST\n", with: end)
    #expect(try Self.read(text) == Self.read(Self.plain))
  }

  @Test func aVectorMayLackItsPrefix() throws {
    let vector = "000102030405060708090A0B0C0D0E0F"
    let places = try ["0x" + vector, "0X" + vector.lowercased(), vector].map { text in
      try Self.read(Self.plain.replacing("k.key\"", with: "k.key\",IV=\(text)"))
        .track.segments[0].part.key?.vector
    }
    #expect(Set(places).count == 1)
    #expect(places[0].map { UInt8(truncatingIfNeeded: $0) } == 15)
  }

  /// Words that stand in a playlist by mistake, and that players pass over.
  @Test(arguments: [
    "EXT-X-VERSION:3", "end", "Warning: x on line 3", "<!-- a:b -->", "http://[", "a.txt",
  ])
  func aWordIsNoSegment(word: String) throws {
    for place in ["#EXTINF", "#EXT-X-ENDLIST"] {
      let text = Self.plain.replacing(place, with: "\(word)\n\(place)", maxReplacements: 1)
      #expect(try Self.read(text) == Self.read(Self.plain))
    }
  }

  @Test(arguments: ["-9223372036854775808", "18446744073709551615", "1e300", "", "none"])
  func aTargetThatIsNoneDoesNotMatter(target: String) throws {
    let text = Self.plain.replacing("DURATION:5", with: "DURATION:\(target)")
    #expect(try Self.read(text) == Self.read(Self.plain))
  }

  @Test func aListOfChannelsIsNoStream() {
    let text = "#EXTM3U x-tvg-url=\"http://h.org/e.xml\"\n#EXTINF:-1,One\nhttp://h.org/1.ts\n"
    #expect(
      throws: StreamError.unsupported("the playlist is a list of channels or titles, and no stream")
    ) {
      try Self.read(text)
    }
  }

  // MARK: Addresses that are data (RFC 2397)

  @Test(
    arguments: [
      ("data:;base64,AAECAw==", [0, 1, 2, 3]),
      ("DATA:application/octet-stream;base64,AAECAw", [0, 1, 2, 3]),
      ("data:,a%20b%zz", Array("a b%zz".utf8)),
      ("data:text/plain;charset=utf-8;base64,YQ%3D%3D", [97]),
      ("data:,", []),
    ] as [(String, [UInt8])])
  func anAddressMayBeTheDataItself(address: String, bytes: [UInt8]) throws {
    #expect(DataAddress.isOne(address))
    #expect(try DataAddress.bytes(address, limit: 100) == bytes)
  }

  @Test func dataHaveALimitAndAForm() {
    #expect(throws: StreamError.self) { try DataAddress.bytes("data:,12345", limit: 4) }
    #expect(throws: StreamError.self) { try DataAddress.bytes("data:text/plain", limit: 4) }
    #expect(throws: StreamError.self) { try DataAddress.bytes("data:;base64,*", limit: 4) }
    #expect(!DataAddress.isOne("dat") && !DataAddress.isOne("date:,x"))
  }

  @Test func keysHeadsAndVariantsMayBeData() throws {
    let key = try Self.read(Self.plain.replacing("k.key", with: "data:;base64,AAECAw=="))
    #expect(key.track.keys == ["data:;base64,AAECAw=="])
    let head = try Self.read(
      Self.plain.replacing("#EXT-X-KEY", with: "#EXT-X-MAP:URI=\"data:,x\"\n#EXT-X-KEY"))
    #expect(head.track.addresses.contains("data:,x"))
    let master = try MasterPlaylist(
      Array("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\ndata:,x\n".utf8), at: "https://h.org/m.m3u8")
    #expect(master.variants.map(\.address) == ["data:,x"])
  }
}
