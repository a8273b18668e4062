import Testing

@testable import FeedReading

@Suite(.timeLimit(.minutes(1)))
struct URLReferenceTests {
  // RFC 3986 §5.4, all examples but the last, which is in WebAddress.
  @Test(arguments: [
    ("g:h", "g:h"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
    ("/g", "http://a/g"), ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"),
    ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q#s"), ("g#s", "http://a/b/c/g#s"),
    ("g?y#s", "http://a/b/c/g?y#s"), (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"),
    ("g;x?y#s", "http://a/b/c/g;x?y#s"), ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"),
    ("./", "http://a/b/c/"), ("..", "http://a/b/"), ("../", "http://a/b/"),
    ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../", "http://a/"),
    ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"),
    ("/./g", "http://a/g"), ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."),
    (".g", "http://a/b/c/.g"), ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"),
    ("./../g", "http://a/b/g"), ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"),
    ("g/../h", "http://a/b/c/h"), ("g;x=1/./y", "http://a/b/c/g;x=1/y"),
    ("g;x=1/../y", "http://a/b/c/y"), ("g?y/./x", "http://a/b/c/g?y/./x"),
    ("g?y/../x", "http://a/b/c/g?y/../x"), ("g#s/../x", "http://a/b/c/g#s/../x"),
    ("http:g", "http:g"),
  ])
  func aReferenceIsResolvedAsTheStandardSays(reference: String, address: String) {
    #expect(URLReference.resolve(reference, against: "http://a/b/c/d;p?q") == address)
  }

  @Test(arguments: [
    ("v.mp4", "http://h", "http://h/v.mp4"), ("v.mp4", "http://h?x", "http://h/v.mp4"),
    (" \n v.mp4\t", "http://h/a/", "http://h/a/v.mp4"),
    ("a b.mp4", "http://h/", "http://h/a%20b.mp4"),
    ("v\n.mp4", "http://h/", "http://h/v.mp4"), ("http://x//a//b", "http://h/", "http://x//a//b"),
    ("v.mp4", "", "v.mp4"),
  ])
  func whiteSpaceAndShortBasesDoNoHarm(reference: String, base: String, address: String) {
    #expect(URLReference.resolve(reference, against: base) == address)
  }

  @Test(arguments: [
    ("feed://h/x", "http://h/x"), ("feed:https://h/x", "https://h/x"), ("itpc://h/x", "http://h/x"),
    ("pcast://h/x", "http://h/x"), ("itms://h/x", "http://h/x"),
    ("HTTPS://Host.Example/X", "https://host.example/X"),
    ("//cdn.example/x", "https://cdn.example/x"), ("http://Me@HOST:8080/", "http://Me@host:8080/"),
    ("http://[2001:DB8::1]/v", "http://[2001:db8::1]/v"),
    ("http://h/a?u=http://x/../y", "http://h/a?u=http://x/../y"),
    ("https:v.mp4?a", "https://example.org/v.mp4?a"), ("http:////h//v?a#b", "http://h//v?a#b"),
    ("http://h/été/日本.mp4", "http://h/été/日本.mp4"),
    ("http://bücher.example/", "http://bücher.example/"),
    ("/a%20b%2Fc", "https://example.org/a%20b%2Fc"),
    ("http://h/x?a=1&amp;b", "http://h/x?a=1&amp;b"),
  ])
  func whatCanBeAskedForIsHTTP(reference: String, address: String) {
    #expect(WebAddress(reference, base: "https://example.org/") == .usable(address))
  }

  @Test(arguments: [
    ("ftp://h/x", "begins with ftp: and not with http: or https:"),
    ("magnet:?xt=urn:x", "begins with magnet: and not with http: or https:"),
    ("javascript:alert(1)", "begins with javascript: and not with http: or https:"),
    ("file:///etc/passwd", "begins with file: and not with http: or https:"),
    ("http://", "names no host"), ("http:", "names no host"), ("http:x", "names no host"),
    ("https://:80/", "names no host"),
  ])
  func whatCannotIsRefusedWithTheReason(reference: String, reason: String) {
    #expect(WebAddress(reference, base: "https://example.org/") == .refused(reason))
  }

  @Test func aRelativeAddressWithoutABaseIsRefused() {
    #expect(WebAddress("v.mp4", base: "") == .refused("is relative, and to what is not known"))
  }

  @Test func xmlBaseIsInheritedOverriddenAndLeftAgain() throws {
    let feed = try parse(
      """
      <feed xmlns="http://www.w3.org/2005/Atom" xml:base="/top/">
        <entry xml:base="one/"><id>1</id>
          <link rel="enclosure" type="video/mp4" href="v.mp4" xml:base="deep/"/>
          <link href="page"/></entry>
        <entry><id>2</id><link rel="enclosure" type="video/mp4" href="v.mp4"/></entry>
        <entry xml:base="http://other.example/x"><id>relative</id>
          <link rel="enclosure" type="video/mp4" href="../v.mp4"/></entry>
      </feed>
      """)
    #expect(
      feed.entries.map { $0.media?.url } == [
        "https://example.org/top/one/deep/v.mp4", "https://example.org/top/v.mp4",
        "http://other.example/v.mp4",
      ])
    #expect(feed.entries[0].link == "https://example.org/top/one/page")
    #expect(feed.entries[2].id == "relative")
  }
}
