import Testing

@testable import FeedReading
@testable import Markup

@Suite(.timeLimit(.minutes(1)))
struct RecoveryTests {
  static let two = "<item><title>t</title><guid>a</guid></item><item><guid>b</guid></item>"

  /// Each text is a feed of two items, "a" and "b", of which the first has the title "t".
  @Test(arguments: [
    "\n \n" + rss(two), "junk" + rss(two), rss(two) + "<script>x</script>", rss(two) + "\u{0}\u{1}",
    "<br />\n<b>Warning</b>: x in <b>y</b><br />" + rss(two),
    "<!-- x --><?xml?xml version=\"1.0\"??><rss:rss><channel>\(two)</channel></rss:rss>",
    rss("<title>a & b</title>" + two), rss("<title>a &nope; b</title>" + two),
    rss("<title>a <b</title>" + two), rss("<title>1 < 2</title>" + two),
    rss("<title>\u{2}\u{0}</title>" + two), rss("<title>&#2;&#xFFFF;</title>" + two),
    rss("<description>a<br>b<p>c</description>" + two),
    rss(#"<x a="1" a="2" b c=d e='<"&'/>"# + two), rss("</nothing></item>" + two),
    rss("<![CDATA[ \u{2} & < ]]>" + two), rss("<!-- never closed" + two),
    rss("<!x><?y z?>" + two), rss("<title>&#xD800;</title>" + two),
    rss(two.replacing("</item>", with: "")), rss(two.replacing("</guid>", with: "")),
    "<rss><channel>" + two, "<rss><channel>" + two + "</chan",
    "<!DOCTYPE html PUBLIC \"a>\" [ <!ENTITY x \"y\"> ]>" + rss("&x;" + two).dropFirst(22),
  ])
  func aBrokenFeedKeepsItsItems(text: String) throws {
    let feed = try parse(text)
    #expect(feed.entries.map(\.id) == ["a", "b"])
    #expect(feed.entries.first?.title == "t")
    #expect(feed.recovered && !feed.diagnostics.isEmpty)
  }

  @Test func aTruncatedFeedKeepsWhatHadArrived() throws {
    let whole = rss(Self.two + "<item><title>third</title><guid>c</guid></item>")
    for length in 0..<whole.utf8.count {
      let bytes = Array(whole.utf8.prefix(length))
      guard let feed = try? FeedParser.parse(bytes, base: "") else { continue }
      #expect(feed.recovered)
      #expect(feed.entries.map(\.id).starts(with: ["a", "b"]) || feed.entries.count <= 2)
    }
  }

  @Test func anAmpersandInAnAddressIsKeptInEachForm() throws {
    for address in ["?a=1&amp;b=2&#38;c=3", "?a=1&b=2&c=3", "?a=1&amp;b=2&c=3"] {
      let entry = try item(#"<enclosure url="http://x/v.mp4\#(address)" type="video/mp4"/>"#)
      #expect(entry.media?.url == "http://x/v.mp4?a=1&b=2&c=3")
    }
  }

  @Test func theScrubLeavesAWellFormedDocumentItsMeaning() {
    let text = #"<rss a="1"><channel><t b='"x"'>A &amp; &#65;<![CDATA[<&]]></t></channel></rss>"#
    let clean = String(
      decoding: XMLSanitizer.clean(Array(text.utf8), FeedParser.documents), as: UTF8.self)
    #expect(
      clean
        == #"<rss a="1"><channel><t b="&quot;x&quot;">A &amp; &#65;&lt;&amp;</t></channel></rss>"#)
  }

  static let accented = rss("<title>caf\u{E9} \u{201C}q\u{201D}</title>")

  @Test(
    arguments: [
      ("windows-1252", [0x63, 0x61, 0x66, 0xE9, 0x20, 0x93, 0x71, 0x94], "café “q”"),
      ("iso-8859-1", [0x63, 0x61, 0x66, 0xE9, 0x20, 0x93, 0x71, 0x94], "café “q”"),
      ("utf-8", [0x63, 0x61, 0x66, 0xE9, 0x20, 0xC3, 0xA9], "café é"),
      ("us-ascii", [0x63, 0xC3, 0xA9], "cé"), ("utf-16", [0x63, 0xC3, 0xA9], "cé"),
      ("nonsense", [0x63, 0xC3, 0xA9], "cé"), ("Shift_JIS", [0x83, 0x7B, 0x83, 0x93], "ボン"),
      ("euc-kr", [0xC7, 0xD1], "한"), ("gb2312", [0xD6, 0xD0], "中"), ("big5", [0xA4, 0xA4], "中"),
      ("koi8-r", [0xCD, 0xC9, 0xD2], "мир"), ("windows-1251", [0xEC, 0xE8, 0xF0], "мир"),
      ("iso-8859-7", [0xC1], "Α"),
    ] as [(String, [UInt8], String)])
  func anEncodingIsBelievedIfItCanBeTrue(name: String, bytes: [UInt8], title: String) throws {
    let head = "<?xml version=\"1.0\" encoding=\"\(name)\"?><rss><channel><title>"
    let document = Array(head.utf8) + bytes + Array("</title></channel></rss>".utf8)
    let found = try FeedParser.parse(document, base: "").title
    #expect(found == title)
  }

  @Test(arguments: [true, false])
  func wideCharactersAreReadWithAMarkOrWithout(marked: Bool) throws {
    for littleEndian in [true, false] {
      let text = (marked ? "\u{FEFF}" : "") + Self.accented.dropFirst(22)
      let bytes = text.utf16.flatMap { unit -> [UInt8] in
        let (low, high) = (UInt8(unit & 0xFF), UInt8(unit >> 8))
        return littleEndian ? [low, high] : [high, low]
      }
      let feed = try FeedParser.parse(bytes, base: "")
      #expect(feed.title == "café “q”")
      #expect(!feed.recovered)
    }
  }

  @Test(arguments: [true, false])
  func theWidestCharactersAreReadWithAMarkOrWithout(marked: Bool) throws {
    let text = (marked ? "\u{FEFF}" : "") + Self.accented.dropFirst(22)
    for littleEndian in [true, false] {
      let bytes = text.unicodeScalars.flatMap { scalar -> [UInt8] in
        let digits = [0, 8, 16, 24].map { UInt8(scalar.value >> $0 & 0xFF) }
        return littleEndian ? digits : digits.reversed()
      }
      let feed = try FeedParser.parse(bytes, base: "")
      #expect(feed.title == "café “q”")
      #expect(!feed.recovered)
    }
  }

  @Test func aMarkOfUTF8OverrulesTheDeclaration() throws {
    let text =
      "\u{FEFF}<?xml version='1.0' encoding='koi8-r'?><rss><channel><title>é</title></channel></rss>"
    #expect(try parse(text).title == "é")
  }
}
