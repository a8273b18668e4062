@testable import Catalog
import FeedReading
import Testing

/// Facts that the page of an entry has told.
@Suite(.timeLimit(.minutes(1))) struct LearnedFactsTests {
  private let facts: LearnedFacts

  init() {
    var media = PageMedia()
    media.title = "Told by the page"
    media.duration = 61.5
    media.thumbnail = "https://page.example/1.jpg"
    media.subtitles = [Subtitle(url: "https://page.example/1", type: "text/vtt", lang: "en")]
    facts = LearnedFacts(media, length: 70_000)
  }

  @Test func theyStandInWhereTheFeedSaysNothing() throws {
    var catalog = try Catalog.after(feed([video("a", title: "")]))
    catalog.learn(facts, of: 1)
    let entry = try #require(catalog.entry(number: 1))

    #expect(entry.shownTitle == "Told by the page" && entry.duration == 61.5)
    #expect(entry.expectedLength == 70_000)
    let names = Sidecar.all(of: entry, kinds: [.subtitles, .covers]).map(\.name)
    #expect(names == ["0001.en.vtt", "0001.jpg"])
    #expect(catalog.listedEntry(named: "0001.mp4")?.hasSubtitles == true)
  }

  @Test func theFeedComesFirst() throws {
    var rich = video("a", title: "Told by the feed", length: 90_000)
    rich.media?.duration = 9
    rich.subtitles = [Subtitle(url: "https://feed.example/1", type: "text/vtt", lang: "de")]
    var catalog = try Catalog.after(feed([rich]))
    catalog.learn(facts, of: 1)
    let entry = try #require(catalog.entry(number: 1))

    #expect(entry.shownTitle == "Told by the feed" && entry.duration == 9)
    #expect(entry.expectedLength == 90_000)
    #expect(Sidecar.all(of: entry, kinds: [.subtitles]).map(\.name) == ["0001.de.vtt"])
  }

  @Test func theyStayWhenTheFeedIsReadAgainAndInTheSnapshot() throws {
    var catalog = try Catalog.after(feed("a"))
    catalog.learn(facts, of: 1)
    catalog.read(feed("b a"))
    let decoded = try Catalog(decoding: catalog.encoded())

    #expect(decoded == catalog)
    #expect(decoded.entry(number: 1)?.learned == facts)
    #expect(decoded.entry(number: 2)?.learned == nil)
  }

  @Test func whatAStrangerWritesAtLengthIsCut() {
    var media = PageMedia()
    media.title = String(repeating: "a", count: 100_000)
    media.thumbnail = "https://page.example/" + String(repeating: "a", count: 100_000)
    media.duration = -.infinity
    let facts = LearnedFacts(media, length: .max)

    #expect(facts.title?.count == 500)
    #expect(facts.thumbnail == nil && facts.duration == nil)
    var entry = FieldSamples.full
    entry.media.length = nil
    entry.learned = facts
    #expect(entry.expectedLength == nil)
  }
}
