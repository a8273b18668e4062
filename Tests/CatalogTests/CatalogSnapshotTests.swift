import Catalog
import FeedReading
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct CatalogSnapshotTests {
  /// A catalog with every kind of field.
  private func sample() throws -> Catalog {
    var catalog = try Catalog.empty()
    var rich = video("b \"quoted\" \u{1F980} \u{0}", title: "Zwölf / 12\n", length: 1 << 40)
    rich.media?.duration = .infinity
    rich.media?.bitrate = 1e300
    rich.alternates = [Media(url: "https://media.example/b.webm")]
    rich.subtitles = [Subtitle(url: "https://media.example/b.vtt", type: "text/vtt", lang: "de")]
    let page = feed([video("d"), video("c", published: noon - 5), rich, video("a")])
    let answer = PageFacts(entityTag: "\"e\"", lastModified: "Mon", maxAge: 60)
    _ = catalog.merge(page, answer: answer, now: noon) { _ in "mp4" }
    catalog.read(feed([video("x", url: "https://media.example/d.mp4"), rich, video("a")]))
    var body = KnownBody(
      length: 5, entityTag: "\"t\"", lastModified: "Tue", contentType: "video/mp4",
      checkedAt: noon, freshFor: 600)
    (body.date, body.untaggedAt) = ("Wed", "https://media.example:443")
    catalog.know(body, of: 3)
    catalog.choose(format: "hls-720 \u{1F980}", for: 3)
    _ = catalog.markStale(1)
    return catalog
  }

  @Test func aCatalogIsTheSameAfterARoundTrip() throws {
    let catalog = try sample()

    let decoded = try Catalog(decoding: catalog.encoded())

    #expect(decoded == catalog)
    #expect(decoded.encoded() == catalog.encoded())
    #expect(decoded.numbering == "d (c) b \"quoted\" \u{1F980} \u{0} a")
    expectInvariants(of: decoded)
  }

  @Test func aCatalogThatWasReadGoesOnWhereItWas() throws {
    var catalog = try Catalog(decoding: Catalog.after(feed("b a")).encoded())

    catalog.read(feed("c b a"))

    #expect(catalog.entry(number: 3)?.key == "c" && catalog.entry(number: 3)?.inode == 18)
    #expect(catalog.markStale(1) == 19)
  }

  @Test func anEmptyCatalogIsASnapshotToo() throws {
    let catalog = try Catalog.empty()

    #expect(try Catalog(decoding: catalog.encoded()) == catalog)
  }

  @Test func pinsAndWhatWasPlayedLastAreRemembered() throws {
    var catalog = try Catalog.after(feed("a b c"))
    #expect(catalog.upNext.map(\.key) == ["a", "b", "c"])
    catalog.pin(true, 2)
    catalog.played(2)
    let decoded = try Catalog(decoding: catalog.encoded())

    #expect(decoded == catalog && decoded.entries.map(\.isPinned) == [false, true, false])
    #expect(decoded.upNext.map(\.key) == ["c"])
    catalog.pin(false, 2)
    #expect(!String(decoding: catalog.encoded(), as: UTF8.self).contains("pinned"))
  }

  @Test func theFormatOfAPageIsRememberedAsLongAsItsVersionIsTheOrigins() throws {
    var catalog = try sample()
    #expect(try Catalog(decoding: catalog.encoded()).entry(number: 3)?.pageFormat != nil)
    _ = catalog.markStale(3)
    #expect(catalog.entry(number: 3)?.pageFormat == nil)
    #expect(!String(decoding: catalog.encoded(), as: UTF8.self).contains("pageFormat"))
  }

  @Test func keysThatAreNotKnownArePassedOver() throws {
    let catalog = try Catalog.after(feed("a"))
    let text = String(decoding: catalog.encoded(), as: UTF8.self)
      .replacing("\"format\":1", with: "\"format\":1,\"later\":{\"x\":[1]}")
      .replacing("\"number\":1", with: "\"number\":1,\"rating\":5")

    #expect(try Catalog(decoding: Array(text.utf8)) == catalog)
  }

  @Test func aNewerFormatIsRefusedByName() throws {
    let text = #"{"format": 2, "entries": "somewhere else"}"#

    #expect(throws: CatalogError.newerFormat(2)) { try Catalog(decoding: Array(text.utf8)) }
  }

  @Test func anOlderFormatIsToldFromDamage() throws {
    let text = #"{"format": 0, "entries": "somewhere else"}"#

    #expect(throws: CatalogError.olderFormat(0)) { try Catalog(decoding: Array(text.utf8)) }
  }

  @Test(arguments: [
    "", "{", "[]", "null", "{}", "\u{0}", #"{"format":"1"}"#, #"{"format":1}"#,
    String(repeating: "[", count: 100_000),
  ])
  func whatIsNoSnapshotIsDamaged(text: String) {
    expectDamage(in: text)
  }

  @Test(arguments: [
    ("\"name\":\"0002.mp4\"", "\"name\":\"0001.mp4\""),
    ("\"name\":\"0002.mp4\"", "\"name\":\"0002.mp4/../../x\""),
    ("\"name\":\"0002.mp4\"", "\"name\":\"0002/mp4\""),
    ("\"name\":\"0002.mp4\"", "\"name\":\"0002.MP4\""),
    ("\"name\":\"0002.mp4\"", "\"name\":\"0002.\""),
    ("\"name\":\"0002.mp4\"", "\"name\":\"0002.mp4\\u0000\""),
    ("\"name\":\"0002.mp4\"", "\"name\":\"..\""),
    ("\"number\":2", "\"number\":3"), ("\"number\":2", "\"number\":1"),
    ("\"number\":2", "\"number\":9223372036854775807"),
    ("\"inode\":17", "\"inode\":16"), ("\"inode\":17", "\"inode\":1"),
    ("\"inode\":17", "\"inode\":18"), ("\"inode\":17", "\"inode\":-17"),
    ("\"inode\":17", "\"inode\":18446744073709551616"),
    ("\"nextInode\":18", "\"nextInode\":17"), ("\"nextInode\":18", "\"nextInode\":0"),
    ("\"nextInode\":18", "\"nextInode\":18446744073709551615"),
    ("\"key\":\"b\"", "\"key\":\"a\""), ("\"presence\":\"current\"", "\"presence\":\"gone\""),
    ("\"order\":[1,2]", "\"order\":[1]"), ("\"order\":[1,2]", "\"order\":[1,1]"),
    ("\"order\":[1,2]", "\"order\":[1,2,3]"), ("\"order\":[1,2]", "\"order\":[0,1]"),
    ("\"order\":[1,2]", "\"order\":[2,-9223372036854775808]"),
    ("\"feed\":\"https:", "\"feed\":\"HTTPS:"), ("\"feed\":\"https:", "\"feed\":\"file:"),
  ])
  func whatCannotBeTrueIsDamaged(part: String, replacement: String) throws {
    let text = try String(decoding: Catalog.after(feed("a b")).encoded(), as: UTF8.self)
    #expect(text.contains(part))

    expectDamage(in: text.replacing(part, with: replacement))
  }

  @Test func everySnapshotThatIsCutShortIsDamaged() throws {
    let bytes = try sample().encoded()

    for length in stride(from: 0, to: bytes.count, by: 7) {
      #expect(throws: CatalogError.self) { try Catalog(decoding: Array(bytes[..<length])) }
    }
  }

  @Test func aFlippedBitNeverMakesAnImpossibleCatalog() throws {
    let bytes = try sample().encoded()
    var dice = SeededRandom(seed: 7)

    for place in stride(from: 0, to: bytes.count, by: 2) {
      var damaged = bytes
      damaged[place] ^= 1 << UInt8.random(in: 0..<8, using: &dice)
      guard let catalog = try? Catalog(decoding: damaged) else { continue }
      expectInvariants(of: catalog)
    }
  }

  private func expectDamage(in text: String) {
    #expect {
      try Catalog(decoding: Array(text.utf8))
    } throws: { error in
      guard case .damaged(let what)? = error as? CatalogError else { return false }
      return !what.isEmpty
    }
  }
}
