import Testing

@testable import Addresses

@Suite(.timeLimit(.minutes(1)))
struct ResolutionTests {
  // RFC 3986 §5.4, all examples but "g:h", which is refused.
  @Test(arguments: [
    ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
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
    ("http:g", "http://a/b/c/g"),
  ])
  func aReferenceIsResolvedAsTheStandardSays(reference: String, address: String) throws {
    #expect(try WebAddress.resolve(reference, base: "http://a/b/c/d;p?q") == address)
  }

  @Test(arguments: [
    ("v.mp4", "http://h", "http://h/v.mp4"), ("v.mp4", "http://h?x", "http://h/v.mp4"),
    (" \n v.mp4\t", "http://h/a/", "http://h/a/v.mp4"),
    ("a b.mp4", "http://h/", "http://h/a%20b.mp4"),
    ("v\n.mp4", "http://h/", "http://h/v.mp4"), ("http://x//a//b", "http://h/", "http://x//a//b"),
    ("v.mp4", "http://h/a#b/c", "http://h/v.mp4"), ("#f", "http://h/a?b#c", "http://h/a?b#f"),
    ("", "http://h/a?b#c", "http://h/a?b"), ("été.mp4", "http://h/", "http://h/été.mp4"),
    ("1:2", "http://h/", "http://h/1:2"), ("/\u{301}", "http://h/a/", "http://h/\u{301}"),
    ("?", "http://h/a", "http://h/a?"), ("?", "http://h", "http://h?"),
    ("v", "feed://h/a/", "http://h/a/v"),
  ])
  func whiteSpaceAndShortBasesDoNoHarm(reference: String, base: String, address: String) throws {
    #expect(try WebAddress.resolve(reference, base: base) == address)
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
  func whatCanBeAskedForIsHTTP(reference: String, address: String) throws {
    #expect(try WebAddress.resolve(reference, base: "https://example.org/") == address)
  }

  @Test(arguments: [
    ("ftp://h/x", "begins with ftp: and not with http: or https:"),
    ("magnet:?xt=urn:x", "begins with magnet: and not with http: or https:"),
    ("javascript:alert(1)", "begins with javascript: and not with http: or https:"),
    ("file:///etc/passwd", "begins with file: and not with http: or https:"),
    ("http://", "names no host"), ("http:", "names no host"), ("https://:80/", "names no host"),
    ("http://ex<b>/", "names a host that cannot exist"),
    ("http://a@b@h/", "names a host that cannot exist"),
    ("HTTP://h:99999/", "has a port that is no number up to 65535"),
  ])
  func whatCannotIsRefusedWithTheReason(reference: String, reason: String) {
    #expect(throws: WebAddress.Refusal(description: reason)) {
      try WebAddress.resolve(reference, base: "https://example.org/")
    }
  }

  @Test func aRelativeAddressWithoutABaseIsRefused() {
    #expect(throws: WebAddress.Refusal(description: "is relative, and its base is not known")) {
      try WebAddress.resolve("v.mp4", base: "")
    }
  }

  /// A browser asks these hosts too (WHATWG URL §4.4, "special authority ignore slashes").
  @Test(arguments: [
    ("http:x", "http://x"), ("http:/x", "http://x"), ("https:/x", "https://example.org/x"),
    ("https:", "https://example.org/dir/?a"), ("https:?q", "https://example.org/dir/?q"),
    ("///x", "https://x"), ("feed:h/x", "http://h/x"), ("feed://https://h/x", "https://h/x"),
  ])
  func slashesBeforeAHostMayLackOrAbound(reference: String, address: String) throws {
    #expect(try WebAddress.resolve(reference, base: "https://example.org/dir/?a#b") == address)
  }

  /// libcurl is spared, and must not be missed.
  @Test(arguments: [
    "http://h/v.mp4", "https://h.example/a/b.c?d=e/f#g", "http://h:8080/a//b", "http://h/'a'|b",
    "http://h/%41?%zz&amp;+", "http://a-b.c0/", "http://h/a:b@c",
  ])
  func whatIsPlainIsWhatLibcurlMakesOfIt(address: String) throws {
    #expect(try WebAddress.resolve(address, base: "") == address)
    let handle = try URLHandle(address, as: .resolved)
    #expect(handle.part(.whole) == address)
    let path = String(address.drop { $0 != "/" }.dropFirst(2).drop { $0 != "/" })
    let base = "https://o.example/x?y#z"
    #expect(
      try URLHandle(WebAddress.join(path, to: base), as: .resolved).part(.whole)
        == WebAddress.resolve(path, base: base))
  }

  @Test(arguments: [
    ("https://h/a?b#c", "h/a?b"), ("http://me:pw@h/a", "h/a"), ("http://h:80", "h/"),
    ("HTTPS://H:443/é", "h/%C3%A9"), ("http://h:81/a", "h:81/a"), ("http://[0:0::1]/", "[::1]/"),
    ("http://127.1/a", "127.0.0.1/a"), ("no address", "no address"),
  ])
  func spellingsOfOneAddressAreAlike(address: String, likeness: String) {
    #expect(WebAddress.likeness(of: address) == likeness)
  }
}
