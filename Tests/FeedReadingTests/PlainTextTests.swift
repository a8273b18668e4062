import Testing

@testable import FeedReading
@testable import Markup

@Suite(.timeLimit(.minutes(1)))
struct PlainTextTests {
  @Test(arguments: [
    ("a  b\n c ", "a b c"), ("<p>Title</p>", "Title"), ("&lt;p&gt;Title&lt;/p&gt;", "Title"),
    ("Fish &amp; Chips", "Fish & Chips"), ("R<b>&amp;</b>D", "R&D"), ("one<br>two", "one two"),
    ("1 < 2 > 0", "1 < 2 > 0"), ("the <video> tag", "the <video> tag"), ("<3", "<3"),
    ("&eacute;t&eacute; &#233;&#xe9;", "été éé"), ("?a=1&copy=2", "?a=1&copy=2"),
    ("it&#146;s", "it’s"), ("&unknown; &", "&unknown; &"), ("a\u{1}b\u{7F}c", "a bc"),
    ("<a href='x'>link", "link"), ("x<!-- hidden -->y", "xy"), ("A&nbsp;B", "A B"),
    ("&colon;", ":"), ("", ""), ("&#0;&#xD800;&#x110000;", "&#xD800;&#x110000;"),
  ])
  func aTitleIsWhatAPersonReads(raw: String, text: String) {
    #expect(PlainText.of(raw) == text)
  }

  @Test func inHTMLEachTagIsMarkupAndEachReferenceACharacter() {
    #expect(PlainText.of("<b>a &lt;blink> tag", isHTML: true) == "a <blink> tag")
  }

  @Test(arguments: [
    ("<title>Less: &lt;</title>", "Less: <"),
    (#"<title type="html">A &lt;b&gt;bold&lt;/b&gt; &amp;amp; B</title>"#, "A bold & B"),
    (
      #"<title type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>One</p><p>T<i>w</i>o</p></div></title>"#,
      "One Two"
    ),
    (#"<title mode="base64">RW50cnkgVGl0bGU=</title>"#, "Entry Title"),
    (
      #"<title type="text"><![CDATA[History of the <blink> tag]]></title>"#,
      "History of the <blink> tag"
    ),
  ])
  func anAtomTitleIsReadAsItsTypeSays(xml: String, text: String) throws {
    #expect(try parse(atom("<entry>\(xml)</entry>")).entries.first?.title == text)
  }

  @Test func aTerminalIsGivenNothingToObey() {
    #expect(PlainText.printable("a\u{1B}[31mb\u{202E}c\nd\u{9B}e") == "a [31mbc d›e")
  }

  @Test func aHostileTitleTakesTimeInProportion() {
    let text = String(repeating: "<b>&", count: 20_000)
    #expect(PlainText.of(text).utf8.count == 80_000)
  }
}
