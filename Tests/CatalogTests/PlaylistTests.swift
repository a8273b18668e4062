import Catalog
import FeedReading
import Testing

@Suite(.timeLimit(.minutes(1))) struct PlaylistTests {
  private func text(of catalog: Catalog) -> String {
    String(decoding: Playlist.m3u8(of: catalog).joined, as: UTF8.self)
  }

  @Test func thePlaylistIsTheFeedsOrderOfToday() throws {
    var long = video("b", title: "Second")
    long.media?.duration = 61.6
    let catalog = try Catalog.after(
      feed([long, video("x"), video("a", title: "First")]),
      feed([video("c", title: "Third"), long, video("a", title: "First")]))

    #expect(
      text(of: catalog) == """
        #EXTM3U
        #PLAYLIST:A feed
        #EXTINF:-1,Third
        0004.mp4
        #EXTINF:62,Second
        0001.mp4
        #EXTINF:-1,First
        0003.mp4

        """)
  }

  @Test(
    arguments: [
      ("A\nB", "A B"), ("A\r\n#EXT-X-ENDLIST", "A #EXT-X-ENDLIST"), ("A\u{2028}B\u{85}C", "A B C"),
      ("\u{202E}gpj.exe\u{202C}", "gpj.exe"), ("\u{2066}A\u{2069}\u{200F}B", "A B"),
      ("A\u{0}\u{7}\u{1B}[31mB", "A [31mB"), ("  A   B  ", "A B"), ("\n", "0001.mp4"),
      ("", "0001.mp4"), ("Zwölf, \u{1F469}\u{200D}\u{1F680}", "Zwölf, \u{1F469}\u{200D}\u{1F680}"),
    ])
  func aTitleStaysInItsLine(title: String, shown: String) throws {
    let catalog = try Catalog.after(feed([video("a", title: title)], title: title))

    let lines = text(of: catalog).split(separator: "\n")

    #expect(lines.suffix(2) == ["#EXTINF:-1,\(shown)", "0001.mp4"])
    #expect(lines.count == (shown == "0001.mp4" ? 3 : 4))
  }

  @Test(arguments: [Double.infinity, .nan, -.infinity, -1, 0, 1e300])
  func aLengthThatIsNoneIsMinusOne(duration: Double) throws {
    var entry = video("a")
    entry.media?.duration = duration

    #expect(text(of: try Catalog.after(feed([entry]))).contains("#EXTINF:-1,"))
  }

  @Test func anEmptyFeedIsAnEmptyPlaylist() throws {
    #expect(text(of: try Catalog.empty()) == "#EXTM3U\n")
  }
}
