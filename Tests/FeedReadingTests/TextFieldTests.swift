import Testing

@testable import FeedReading

/// Titles, in every form that a format allows.
@Suite(.timeLimit(.minutes(1)))
struct TextFieldTests {
  @Test(arguments: [
    ("One", "One"), ("  One \n\t two ", "One two"), ("A &amp; B", "A & B"),
    ("A &amp;amp; B", "A & B"),
    ("&lt;b&gt;One&lt;/b&gt;", "One"), ("&amp;lt;b&amp;gt;One&amp;lt;/b&amp;gt;", "One"),
    ("<![CDATA[<b>One</b> &amp; &eacute;]]>", "One & é"),
    ("<![CDATA[1 < 2 & 3 > 2]]>", "1 < 2 & 3 > 2"),
    ("&lt;p&gt;One&lt;/p&gt;&lt;p&gt;two&lt;/p&gt;", "One two"), ("&#8220;One&#x201D;", "“One”"),
    ("It&amp;#146;s", "It’s"), ("One<b>two</b>", "Onetwo"),
    ("the &lt;video&gt; tag", "the <video> tag"),
    ("One<![CDATA[ & ]]>two", "One & two"), ("&lt;img src='x'/&gt;One", "One"), ("", ""),
    ("AT&amp;T &amp;copy=2", "AT&T &copy=2"), ("<!-- no -->One", "One"),
  ])
  func aTitleOfRSSIsTextOrEscapedMarkup(written: String, title: String) throws {
    #expect(try item("<title>\(written)</title>").title == title)
    #expect(try parse(rss("<title>\(written)</title>")).title == title)
  }

  @Test(arguments: [
    ("", "One &amp; two", "One & two"), ("type='text'", "the &lt;blink&gt; tag", "the <blink> tag"),
    ("type='html'", "&lt;b>One&lt;/b> &amp;amp; two", "One & two"),
    ("type='html'", "<![CDATA[One<br>two]]>", "One two"),
    (
      "type='xhtml'", "<div xmlns='http://www.w3.org/1999/xhtml'>One <b>&amp;</b> two</div>",
      "One & two"
    ),
    (
      "type='xhtml'",
      "<x:div xmlns:x='http://www.w3.org/1999/xhtml'><x:p>One</x:p><x:p>two</x:p></x:div>",
      "One two"
    ),
    ("type='text/html' mode='escaped'", "&lt;b>One&lt;/b>", "One"),
    ("type='application/xhtml+xml' mode='xml'", "<div>One</div>", "One"),
    ("type='text/plain' mode='base64'", "T25lICYgdHdv", "One & two"),
    ("type='application/octet-stream' mode='base64'", "\n T25lICYg\n dHdv \n", "One & two"),
    ("type='text/html' mode='base64'", "PGI+T25lPC9iPg==", "One"),
    ("mode='base64'", "no base64!", ""), ("type='TEXT/HTML'", "&lt;i>One&lt;/i>", "One"),
  ])
  func aTextConstructOfAtomIsWhatItSays(attributes: String, written: String, title: String) throws {
    let text = "<title \(attributes)>\(written)</title>"
    for namespace in ["http://www.w3.org/2005/Atom", "http://purl.org/atom/ns#"] {
      let feed = try parse("<feed xmlns='\(namespace)'>\(text)<entry>\(text)</entry></feed>")
      #expect(feed.title == title)
      #expect(feed.entries.map(\.title) == [title])
    }
  }

  @Test func theTitleOfTheFormatIsPreferredWhereverItStands() throws {
    let others = "<media:title>M</media:title><itunes:title>I</itunes:title><dc:title>D</dc:title>"
    #expect(try item(others + "<title>T</title>").title == "T")
    #expect(try item("<title>T</title>" + others).title == "T")
    #expect(try item("<title/>" + others).title == "M")
    #expect(
      try item("<media:content url='/v.mp4'><media:title>M</media:title></media:content>").title
        == "M")
    #expect(
      try item("<image><title>no</title></image><textInput><title>no</title></textInput>").title
        == "")
  }

  @Test(arguments: [
    ("<language>en-us</language>", "en-us"), ("<dc:language>de</dc:language>", "de"),
    ("<dc:language>de</dc:language><language>en</language>", "en"), ("<language> </language>", nil),
    ("", nil),
  ])
  func aLanguageIsThatOfTheChannel(written: String, language: String?) throws {
    #expect(try parse(rss(written, root: podcastRoot)).language == language)
    let root = podcastRoot.replacing("<rss ", with: "<rss xml:lang='fr' ")
    let inherited =
      language == nil || written.hasPrefix("<dc:language>de</dc:language>") && language == "de"
    #expect(try parse(rss(written, root: root)).language == (inherited ? "fr" : language))
  }
}
