import Addresses
import FeedReading
import Testing

@Suite(.timeLimit(.minutes(1))) struct FeedKeyTests {
  @Test(
    arguments: [
      ("https://example.org/feed.xml", "https://example.org/feed.xml"),
      ("HTTPS://Example.ORG:443/Feed.xml?A=b#top", "https://example.org/Feed.xml?A=b"),
      ("http://example.org:80", "http://example.org/"),
      ("http://example.org:443/x", "http://example.org:443/x"),
      ("http://example.org:/x", "http://example.org/x"),
      ("https://me:secret@example.org:8443/f", "https://example.org:8443/f"),
      ("http://example.org?x=1", "http://example.org/?x=1"),
      ("http://example.org/a?b?c/d@e#f#g", "http://example.org/a?b?c/d@e"),
      ("http://127.0.0.1:8080/f", "http://127.0.0.1:8080/f"),
      ("http://[::1]:8080/f", "http://[::1]:8080/f"), ("http://[FE80::A]/", "http://[fe80::a]/"),
      ("  https://example.org/f\n", "https://example.org/f"),
      ("https://example.org/ä b", "https://example.org/%C3%A4%20b"),
      ("https://example.org/%c3%a4", "https://example.org/%c3%a4"),
      ("https://example.org/\u{202E}x", "https://example.org/%E2%80%AEx"),
      ("https://a.example/\u{301}@b.example/", "https://a.example/%CC%81@b.example/"),
      ("https://a.example#\u{301}@b.example/", "https://a.example/"),
      ("https://Müller.example/", "https://müller.example/"),
      ("feed://example.org/f", "http://example.org/f"),
      ("feed:https://example.org/f", "https://example.org/f"),
      ("FEED://HTTPS://example.org/f", "https://example.org/f"),
      ("feed:example.org/f", "http://example.org/f"),
      ("itpc://example.org/f", "http://example.org/f"),
      ("itpc:https://example.org/f", "https://example.org/f"),
      ("pcast:example.org/f", "http://example.org/f"),
    ])
  func oneFeedHasOneKey(typed: String, key: String) throws {
    #expect(try FeedKey(typed).value == key)
    #expect(try FeedKey(key).value == key)
  }

  @Test(
    arguments: [
      ("", AddressError.empty), (" \n", .empty), ("feed.xml", .noScheme),
      ("tmp/feed.xml", .noScheme),
      ("example.org:8080/feed", .noScheme), ("me:secret@example.org/f", .noScheme),
      (":", .noScheme),
      ("://x", .noScheme), ("ftp://example.org/f", .unsupportedScheme("ftp")),
      ("file://host/etc/passwd", .unsupportedScheme("file")), ("http:/example.org", .noHost),
      ("https:example.org", .noHost), ("http://", .noHost), ("http:///f", .noHost),
      ("http://me@/f", .noHost), ("http://:80/", .noHost), ("feed:", .noHost),
      ("http://exa mple.org/", .badHost), ("http://[::1/", .badHost), ("http://[]/", .badHost),
      ("http://[::1]x/", .badPort), ("http://[fe80::1%25eth0]/", .badHost),
      ("http://ex<b>/", .badHost), ("http://a\\b/", .badHost), ("http://a\u{202E}b/", .badHost),
      ("http://h:0/", .badPort), ("http://h:65536/", .badPort), ("http://h:+80/", .badPort),
      ("http://h:80x/", .badPort), ("http://h:99999999999999999999/", .badPort),
      ("http://me:pa/ss@h/", .badPort), ("http://[::1]:x/", .badPort),
      ("http://h/a\nb", .badCharacter), ("http://h/\u{0}", .badCharacter),
      ("http://h\r\nX: y/", .badCharacter), ("http://h/\u{7f}", .badCharacter),
      ("http://h\u{9b}/", .badHost),
    ])
  func whatIsNoWebAddressIsRefused(typed: String, error: AddressError) {
    #expect(throws: error) { try FeedKey(typed) }
    #expect(throws: error) { try FeedKey.validate(typed) }
  }

  @Test func nothingThatIsShownHoldsASecret() throws {
    let key = try FeedKey("https://me:pass@example.org:8443/f.xml?token=secret#x")

    #expect(key.shown == "https://example.org:8443/f.xml")
    #expect("\(key)" == key.shown)
    #expect(key.displayHost == "example.org:8443")
  }

  @Test(arguments: ["me:hunter2@h", "http://me:hunter2/x@h/", "hunter2", "http://h<hunter2>/"])
  func noErrorRepeatsWhatWasTyped(typed: String) {
    #expect {
      try FeedKey(typed)
    } throws: {
      !"\($0)".contains("hunter2")
    }
  }

  @Test(
    arguments: [
      ("feed://me:p%40ss@Example.org/f?t=1#x", "http://me:p%40ss@example.org/f?t=1"),
      ("https://example.org:443", "https://example.org/"),
    ])
  func whatIsAskedForHoldsTheCredentials(typed: String, request: String) throws {
    #expect(try FeedKey.validate(typed) == request)
  }
}
