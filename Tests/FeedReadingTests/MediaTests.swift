import Testing

@testable import FeedReading

@Suite(.timeLimit(.minutes(1)))
struct MediaTests {
  @Test(
    arguments: [
      ("video/mp4", "http://x/v.mp4", "mp4"), ("video/mp4", "http://x/v.M4V?x=.mp3", "m4v"),
      ("video/mp4", "http://x/v.mp3", "mp4"), (nil, "http://x/v.webm#t", "webm"),
      ("video/quicktime", "http://x/v", "mov"), ("video/x-m4v", "http://x/v.php", "m4v"),
      ("application/octet-stream", "http://x/v.mkv", "mkv"), ("video/strange", "http://x/v", "mp4"),
      ("audio/mp4", "http://x/v.mp4", "m4a"), ("x-audio/mp3", "http://x/a", "mp3"),
      ("audio/mp3; charset=x", "http://x/a", "mp3"), ("video/ogg", "http://x/a.ogg", "ogv"),
      ("none", "http://x/v", "bin"), (nil, "http://x.mp4", "bin"), ("video", "http://x/v", "mp4"),
      ("image/jpeg", "http://x/a.jpg", "bin"),
    ] as [(String?, String, String)])
  func theExtensionComesFromTheAddressElseFromTheType(type: String?, url: String, ending: String) {
    #expect(MediaType.fileExtension(type: type, url: url) == ending)
  }

  @Test(
    arguments: [
      ("video/mp4", "http://x/a.mp3", MediaClass.video), ("audio/mpeg", "http://x/v.mp4", .audio),
      ("application/octet-stream", "http://x/v.mov", .video), (nil, "http://x/a.opus", .audio),
      ("image/png", "http://x/v.mp4", .other), ("application/x-mpegURL", "http://x/v", .other),
      ("", "http://x/v.mp4", .video), ("application/x-matroska", "http://x/v", .video),
    ] as [(String?, String, MediaClass)])
  func theDeclaredTypeDecidesWhereItSaysAnything(type: String?, url: String, found: MediaClass) {
    #expect(MediaType.classOf(type: type, url: url) == found)
  }

  static let video = #"<enclosure url="http://x/e.mp4" type="video/mp4" length="20000"/>"#

  @Test(arguments: [
    // class before all else
    (#"<enclosure url="http://x/a.mp3" type="audio/mpeg"/>"# + video, "http://x/e.mp4"),
    (
      #"<media:content url="http://x/a.mp3" medium="audio" isDefault="true"/>"# + video,
      "http://x/e.mp4"
    ),
    // height before all that follows, a default before an enclosure
    (
      video + #"<media:content url="http://x/d.mp4" type="video/mp4" isDefault="true"/>"#,
      "http://x/d.mp4"
    ),
    (
      #"<media:content url="http://x/h.mp4" type="video/mp4" height="2160"/>"# + video,
      "http://x/h.mp4"
    ),
    // height, then bit rate, then the document's order
    (
      #"<media:group><media:content url="http://x/1.mp4" height="480"/><media:content url="http://x/2.mp4" height="1080"/></media:group>"#,
      "http://x/2.mp4"
    ),
    (
      #"<media:content url="http://x/1.mp4" bitrate="100"/><media:content url="http://x/2.mp4" bitrate="2000.5"/>"#,
      "http://x/2.mp4"
    ),
    (#"<enclosure url="http://x/1.mp4"/><enclosure url="http://x/2.mp4"/>"#, "http://x/1.mp4"),
    // samples and media made on demand come last
    (
      #"<media:content url="http://x/s.mp4" expression="sample" height="9"/><media:content url="http://x/f.mp4"/>"#,
      "http://x/f.mp4"
    ),
    (
      #"<enclosure url="http://x/download/videos/generate/1.mp4" type="video/mp4"/><media:content url="http://x/s.mp4" type="video/mp4"/>"#,
      "http://x/s.mp4"
    ),
    // of equals the file, and never a torrent or Flash
    (#"<enclosure url="http://x/v.m3u8" type="video/mp4"/>"# + video, "http://x/e.mp4"),
    (#"<enclosure url="http://x/v.torrent" type="video/mp4"/>"# + video, "http://x/e.mp4"),
    (
      #"<media:content url="http://x/v/1" type="application/x-shockwave-flash" isDefault="true"/>"#
        + video, "http://x/e.mp4"
    ),
    // a medium without a type, a type without meaning
    (#"<media:content url="http://x/get?id=1" medium="video"/>"#, "http://x/get?id=1"),
    (
      #"<podcast:alternateEnclosure type="video/mp4" height="720"><podcast:source uri="ipfs://q"/><podcast:source uri="http://x/p.mp4"/></podcast:alternateEnclosure>"#,
      "http://x/p.mp4"
    ),
  ])
  func theBestCandidateIsChosen(content: String, url: String) throws {
    #expect(try item(content).media?.url == url)
  }

  @Test(arguments: [("", nil), ("<link>http://x/post</link>", "resolver")])
  func anItemWithoutMediaSaysWhichOptionReadsItsPage(content: String, option: String?) throws {
    let entry = try item(content)
    #expect(entry.skipped == "no media")
    #expect(entry.option == option)
  }

  @Test(arguments: [
    ("", "no media"), (#"<enclosure url="http://x/a.mp3" type="audio/mpeg"/>"#, "audio only"),
    (#"<enclosure url="http://x/i.jpg" type="image/jpeg"/>"#, "only an image"),
    (#"<enclosure url="http://x/v.torrent" type="application/x-bittorrent"/>"#, "only a torrent"),
    (
      #"<enclosure url="http://x/all.m3u" type="audio/x-mpegurl"/>"#, "only a list of addresses"
    ),
    (
      #"<media:group><media:content url="https://www.youtube.com/v/1" type="application/x-shockwave-flash"/></media:group>"#,
      "only a Flash player: its page needs a resolver"
    ),
    (
      #"<media:content medium="video" duration="9"><media:player url="http://x/p"/></media:content>"#,
      "only a web page to watch it on, which needs a resolver"
    ),
    (#"<enclosure url="http://x/details/1" type="text/html"/>"#, "only a web page"),
    (
      #"<enclosure url="magnet:?xt=1" type="video/mp4"/>"#,
      "its address begins with magnet: and not with http: or https:"
    ),
    (
      #"<enclosure url="http://x/a.pdf" type="application/pdf"/>"#,
      "only a file that is neither video nor audio"
    ),
  ])
  func anEntryWithoutAVideoSaysWhy(content: String, reason: String) throws {
    let entry = try item("<guid>g</guid>" + content)
    #expect(entry.media == nil)
    #expect(entry.skipped == reason)
  }

  @Test func soundIsPlayedOnlyWhereItIsAskedFor() throws {
    let text = rss(
      #"<item><guid>g</guid><enclosure url="http://x/a.mp3" type="audio/mpeg"/></item>"#)
    #expect(try parse(text).entries[0].skipped == "audio only")
    #expect(try parse(text, audio: true).entries[0].media?.url == "http://x/a.mp3")
  }

  @Test func mentionsOfOneAddressAreOneCandidate() throws {
    let entry = try item(
      Self.video
        + #"<media:content url="http://x/e.mp4" height="720" duration="61" lang="de" fileSize="1"/>"#
        + #"<media:content url="http://x/i.png" medium="image"/>"#)
    #expect(entry.media?.height == 720)
    #expect(entry.media?.length == 20000)
    #expect(entry.duration == 61)
    #expect(entry.alternates.map(\.url) == ["http://x/i.png"])
  }

  @Test(arguments: ["0", "-1", "", "unknown", "99999999999999999999"])
  func aLengthThatSaysNothingIsNone(length: String) throws {
    let entry = try item(#"<enclosure url="http://x/v.mp4" type="video/mp4" length="\#(length)"/>"#)
    #expect(entry.media?.length == nil)
  }
}
