import Addresses
import Testing

@testable import FeedReading

/// The choice among several forms of one entry.
@Suite(.timeLimit(.minutes(1)))
struct MediaRankingTests {
  private static func choice(_ height: Int? = nil, _ prefer: [String]? = nil) -> MediaChoice {
    var choice = MediaChoice()
    choice.maxHeight = height
    choice.prefer = prefer
    return choice
  }

  private func entry(_ content: String, _ choice: MediaChoice = MediaChoice()) throws -> Entry {
    let text = rss("<item><guid>g</guid>\(content)</item>", root: podcastRoot)
    let feed = try FeedParser.parse(
      Array(text.utf8), base: "https://example.org/feed.xml", choice: choice)
    return try #require(feed.entries.first)
  }

  /// `forms` as `media:content`: a name, and more attributes.
  private func contents(_ forms: [(String, String)]) -> String {
    forms.map { #"<media:content url="http://x/\#($0.0)" type="video/mp4" \#($0.1)/>"# }.joined()
  }

  // MARK: Height

  @Test(
    arguments: [
      ("1080p", 1080), ("Full HD (1080p60)", 1080), ("1920x1080", 1080), ("4K", 2160),
      ("720", 720), ("720 p", nil), ("HD", 720), ("Standard", nil), ("", nil), ("5p", nil),
      ("99999999999p", nil), ("2024", nil), ("é1080p", 1080),
    ] as [(String, Int?)])
  func aTitleTellsTheHeight(title: String, lines: Int?) {
    #expect(PictureHeight.lines(inTitle: title) == lines)
  }

  @Test(
    arguments: [
      ("http://x/v/u-1080.mp4", 1080), ("http://x/u-720-fragmented.mp4", 720),
      ("http://x/talk_1080p.webm?t=1", 1080), ("http://x/1280x720/a.mp4", 720),
      ("http://x/a-1080i.ts", 1080), ("http://x/talk_hd.mp4", 720), ("http://x/a.mp4?q=480", 480),
      ("http://x/a.mp4?id=480", nil), ("http://x/480/a.mp4", nil),
      ("http://720.example/a.mp4", nil),
      ("http://x/a.mp4#1080p", nil), ("http://x/2024-1080-5.mp4", nil), ("http://x/a360b.mp4", nil),
      ("http://x/a.mp4?hd=0", nil), ("http://x/hd1080/a.mp4", 1080), ("http://x/", nil), ("", nil),
    ] as [(String, Int?)])
  func anAddressTellsTheHeight(url: String, lines: Int?) {
    #expect(PictureHeight(of: Media(url: url), duration: nil)?.lines == lines)
  }

  @Test func whatTheFeedSaysCountsBeforeWhatTheAddressTells() throws {
    var media = Media(url: "http://x/a-1080.mp4")
    media.bitrate = 100
    #expect(PictureHeight(of: media, duration: nil) == PictureHeight(1080, by: .address))
    media.height = 360
    #expect(PictureHeight(of: media, duration: nil) == PictureHeight(360, by: .feed))
  }

  @Test(
    arguments: [
      ("a.mp4", 5_000.0, 1080), ("a.mp4", 2_000, 720), ("a.mp4", 400, 360), ("a.mp4", 1, 144),
      ("a.ogv", 5_000, 720), ("a.webm", 2_000, 1080), ("a.mp4", .greatestFiniteMagnitude, 2160),
    ])
  func aBitRateTellsTheHeightByTheCodec(name: String, rate: Double, lines: Int) {
    var media = Media(url: "http://x/\(name)")
    media.bitrate = rate
    #expect(PictureHeight(of: media, duration: nil) == PictureHeight(lines, by: .bitrate))
  }

  @Test func theSizeOfASecondTellsTheHeightAndAPlaceholderDoesNot() throws {
    var media = Media(url: "http://x/a.mp4")
    media.length = 250_000 * 600
    #expect(PictureHeight(of: media, duration: 600) == PictureHeight(720, by: .size))
    #expect(PictureHeight(of: media, duration: nil) == nil)
    media.length = 1024
    #expect(PictureHeight(of: media, duration: 600) == nil)
  }

  // MARK: Order

  @Test(
    arguments: [
      // PeerTube's podcast feeds: the least one is the enclosure and the default.
      ([("a-360.mp4", #"isDefault="true""#), ("a-720.mp4", ""), ("a-1080.mp4", "")], "a-1080.mp4"),
      // a height that is said, before one that a size tells
      ([("a.mp4", #"fileSize="9000000" duration="60""#), ("b.mp4", #"height="1080""#)], "b.mp4"),
      // nothing told: more than a small form, less than a large one
      ([("a.mp4", ""), ("b.mp4", #"height="360""#)], "a.mp4"),
      ([("a.mp4", ""), ("b.mp4", #"height="720""#)], "b.mp4"),
      // an estimate says nothing beside a form of which nothing is known
      ([("a.mp4", #"fileSize="9000" bitrate="90""#), ("b.mp4", "")], "a.mp4"),
      // at the same height a default
      ([("a.mp4", #"height="720""#), ("b.mp4", #"height="720" isDefault="true""#)], "b.mp4"),
      // then the bit rate
      (
        [("a.mp4", #"height="720" bitrate="900""#), ("b.mp4", #"height="720" bitrate="1900""#)],
        "b.mp4"
      ),
    ] as [([(String, String)], String)])
  func theTallestFormIsPlayed(forms: [(String, String)], name: String) throws {
    #expect(try entry(contents(forms)).media?.url == "http://x/\(name)")
    #expect(try entry(contents(forms.reversed())).media?.url == "http://x/\(name)")
  }

  @Test(arguments: [(2160, 1080), (1080, 1080), (1079, 720), (720, 720), (400, 360), (100, 360)])
  func noFormIsTallerThanTheUserWantsIfThereIsAChoice(limit: Int, lines: Int) throws {
    let forms = [360, 1080, 720].map { ("a-\($0).mp4", "") }
    let entry = try entry(contents(forms), Self.choice(limit))
    #expect(entry.media?.url == "http://x/a-\(lines).mp4")
  }

  @Test(
    arguments: [
      (nil, "a.mp4"), (["webm"], "c.webm"), (["hevc", "webm"], "b.mp4"), (["vp9"], "c.webm"),
      (["av1", "mkv"], "a.mp4"), (["h264"], "a.mp4"),
    ] as [([String]?, String)])
  func atOneHeightTheUsersOrderOfFormatsCounts(prefer: [String]?, name: String) throws {
    let forms = """
      <media:content url="http://x/c.webm" type="video/webm" height="720" isDefault="true"/>
      <media:content url="http://x/b.mp4" type="video/mp4; codecs=&quot;hvc1.1.6.L93, mp4a.40.2&quot;"
        height="720" bitrate="9000"/>
      <media:content url="http://x/a.mp4" type="video/mp4" height="720"/>
      """
    #expect(try entry(forms, Self.choice(nil, prefer)).media?.url == "http://x/\(name)")
  }

  @Test func aPictureWhoseCodecsNameNoSoundComesLast() throws {
    let forms = """
      <podcast:alternateEnclosure type="video/mp4" height="1080" codecs="avc1.640028"><podcast:source
        uri="http://x/silent.mp4"/></podcast:alternateEnclosure>
      <podcast:alternateEnclosure type="video/mp4" height="720" codecs="avc1.4d401f, mp4a.40.2">
        <podcast:source uri="http://x/both.mp4"/></podcast:alternateEnclosure>
      """
    #expect(try entry(forms).media?.url == "http://x/both.mp4")
  }

  // MARK: Split tracks

  private static let split = ["1080-fragmented", "720-fragmented", "0-fragmented"].map {
    #"<media:content url="http://x/hls/u-\#($0).mp4" type="video/mp4"/>"#
  }.joined()
  private static let both =
    #"<enclosure url="http://x/download/videos/generate/u?videoFileIds=1&amp;videoFileIds=2" type="video/mp4"/>"#

  @Test func aPictureWithoutItsSoundIsNeverPlayed() throws {
    let entry = try entry(Self.both + Self.split)
    #expect(entry.media?.url.contains("/generate/") == true)
    // Where the best one fails, none of them takes its place.
    #expect(Media.forms(try #require(entry.media), entry.alternates).count == 1)
    let alone = try self.entry(Self.split)
    #expect(alone.media == nil)
    #expect(alone.skipped == "its picture and its sound are in separate files")
    #expect(alone.option == "--audio")
  }

  @Test func itsSoundIsPlayedWhereSoundIsAskedFor() throws {
    var choice = MediaChoice()
    choice.audio = true
    #expect(try entry(Self.split, choice).media?.url == "http://x/hls/u-0-fragmented.mp4")
  }

  @Test func aFragmentedFileWithBothIsPlayed() throws {
    let one = #"<enclosure url="http://x/download/videos/generate/u?videoFileIds=1"/>"#
    let forms = contents([("u-1080-fragmented.mp4", ""), ("u-720-fragmented.mp4", "")])
    #expect(try entry(one + forms).media?.url == "http://x/u-1080-fragmented.mp4")
  }

  // MARK: Names

  /// Without guid and link, the address names the entry. It is the one that named it before.
  @Test func anEntryKeepsItsIdWhenAnotherFormIsPlayed() throws {
    let text = rss(
      "<item>\(contents([("a-360.mp4", #"isDefault="true""#), ("a-1080.mp4", "")]))</item>",
      root: podcastRoot)
    let entry = try #require(try parse(text).entries.first)
    #expect(entry.media?.url == "http://x/a-1080.mp4")
    #expect(entry.id == WebAddress.identity(of: "http://x/a-360.mp4") && entry.idSource == .url)
  }

  @Test func entriesWithTheSameIdAreToldApartAsBefore() throws {
    let items = ["a", "b"].map { name in
      let forms = contents([("\(name)-360.mp4", #"isDefault="true""#), ("\(name)-1080.mp4", "")])
      return "<item><guid>g</guid>\(forms)</item>"
    }
    let entries = try parse(rss(items.joined(), root: podcastRoot)).entries
    #expect(
      entries.map(\.id)
        == ["a", "b"].map {
          "g#" + EntryIdentity.digits(of: WebAddress.identity(of: "http://x/\($0)-360.mp4"))
        })
    #expect(entries.map(\.media?.url) == ["http://x/a-1080.mp4", "http://x/b-1080.mp4"])
  }

  // MARK: The reason

  @Test(
    arguments: [
      ([("a.mp4", "")], nil, nil, "the only form that can be played"),
      (
        [("a.mp4", #"height="720""#), ("b-1080.mp4", "")], nil, nil,
        "1080 lines by its address, the most of 2 forms"
      ),
      (
        [("a.mp4", #"height="720""#), ("b.mp4", #"height="1080""#)], 720, nil,
        "720 lines, the most up to 720 of 2 forms"
      ),
      (
        [("a.mp4", #"height="720""#), ("b.mp4", #"height="1080""#)], 480, nil,
        "720 lines, the fewest of 2 forms, and none has 480 or fewer"
      ),
      ([("a.mp4", ""), ("b.webm", "")], nil, nil, "mp4, which more players play than webm"),
      (
        [("a.mp4", ""), ("b.webm", "")], nil, ["webm"],
        "webm, which comes before mp4 in --prefer"
      ),
      (
        [("a.mp4", ""), ("b.mp4", #"isDefault="true""#)], nil, nil, "the feed's default of 2 forms"
      ),
      ([("film1.mp4", ""), ("film2.mp4", "")], nil, nil, "the first of 2 equally good forms"),
    ] as [([(String, String)], Int?, [String]?, String)])
  func theReasonForTheChoiceIsTold(
    forms: [(String, String)], limit: Int?, prefer: [String]?, words: String
  ) throws {
    let choice = Self.choice(limit, prefer)
    let content = contents(forms).replacing(
      #"b.webm" type="video/mp4""#, with: #"b.webm" type="video/webm""#)
    let entry = try entry(content, choice)
    let media = try #require(entry.media)
    #expect(MediaReason.words(for: media, among: entry.alternates, choice) == words)
  }
}
