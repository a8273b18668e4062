import Testing

@testable import Catalog
@testable import FeedReading

/// A catalog that was made by other rules goes on by these.
@Suite(.timeLimit(.minutes(1))) struct EarlierChoiceTests {
  private static let split = ["1080", "0"].map { "https://p.example/hls/u-\($0)-fragmented.mp4" }
  private static let joined =
    "https://p.example/download/videos/generate/u?videoFileIds=1&videoFileIds=2"

  /// The page of PeerTube that the catalog has read as a picture without its sound.
  private func page() throws -> Feed {
    let contents = Self.split.map { #"<media:content url="\#($0)" type="video/mp4"/>"# }.joined()
    let enclosure = Self.joined.replacing("&", with: "&amp;")
    return try parse(
      rss("<item><guid>a</guid><enclosure url='\(enclosure)' type='video/mp4'/>\(contents)</item>"))
  }

  @Test(arguments: [true, false])
  func aSilentPictureStaysOnlyWhereItWasProved(isProved: Bool) throws {
    var old = video("a", url: Self.split[0])
    old.alternates = [Media(url: Self.split[1]), Media(url: Self.joined)]
    var catalog = try Catalog.after(feed([old]))
    if isProved { catalog.know(KnownBody(length: 5, checkedAt: noon, freshFor: 60), of: 1) }

    catalog.read(try page())

    let entry = try #require(catalog.entry(number: 1))
    #expect(entry.key == "a" && entry.name == "0001.mp4" && catalog.entries.count == 1)
    #expect(entry.source.url == (isProved ? Self.split[0] : Self.joined))
    #expect(entry.sources.map(\.url) == [Self.joined], "no other one takes its place")
  }

  @Test func theLinkOfADayIsThatOfThePublisherAndStays() throws {
    let page = try parse(
      rss(
        """
        <item><guid>a</guid><title>A talk</title><pubDate>Sat, 27 Dec 2025 00:00:00 +0100</pubDate>
        <enclosure url="https://p.example/a.mp4" type="video/mp4"/></item>
        """))
    let catalog = try Catalog.after(page)

    #expect(catalog.entry(number: 1)?.titleName == "2025-12-27 A talk.mp4")
    #expect(try Catalog(decoding: catalog.encoded()) == catalog)
    #expect(try Catalog(decoding: catalog.encoded()).entry(number: 1)?.day == "2025-12-27")
  }

  @Test func codecsSurviveASnapshot() throws {
    var entry = video("a")
    entry.media?.codecs = "avc1.64001f, mp4a.40.2"
    let catalog = try Catalog.after(feed([entry]))

    #expect(try Catalog(decoding: catalog.encoded()).entry(number: 1)?.media == entry.media)
  }
}
