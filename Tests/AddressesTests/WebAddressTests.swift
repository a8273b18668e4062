import Testing

@testable import Addresses

@Suite(.timeLimit(.minutes(1)))
struct WebAddressTests {
  @Test(arguments: [
    ("http://Example.ORG", "http://example.org/", "http://example.org:80"),
    ("HTTPS://e.org:444/a/../b?q=1#f", "https://e.org:444/b?q=1", "https://e.org:444"),
    ("http://u:p@e.org/a b/ü?x y", "http://e.org/a%20b/%c3%bc?x+y", "http://e.org:80"),
    ("http://127.1:8080/", "http://127.0.0.1:8080/", "http://127.0.0.1:8080"),
    ("http://0x7f000001/", "http://127.0.0.1/", "http://127.0.0.1:80"),
    ("http://[0:0:0:0:0:0:0:1]/", "http://[::1]/", "http://[::1]:80"),
  ])
  func aURLIsTakenApart(text: String, sent: String, origin: String) throws {
    let url = try WebAddress(parsing: text)

    #expect(url.text == sent)
    #expect(url.origin.description == origin)
  }

  @Test(arguments: [
    "", "e.org", "/a", "ftp://e.org/", "file:///etc/passwd", "javascript:alert(1)", "http://",
    "http://e.org:99999/", "http://a\nb/", "http://e.org/\r\nX: y", "http://e.org/\0",
    "gopher://e.org/", "data:text/plain,x", "http://[::1/",
  ])
  func whatCannotBeAskedIsNoURL(text: String) {
    #expect(throws: AddressError.self) { try WebAddress(parsing: text) }
  }

  @Test func noSecretIsShown() throws {
    #expect(WebAddress.shown("http://me:secret@e.org/a?token=secret#secret") == "http://e.org/a?…")
    #expect(WebAddress.shown("https://e.org/a") == "https://e.org/a")
    #expect(!WebAddress.shown("me:secret@").contains("secret"))
    #expect(!WebAddress.shown("http://u:secret@h/").contains("secret"))
  }

  @Test func credentialsAreDecodedAndBoundToTheirOrigin() throws {
    let url = try WebAddress(parsing: "https://me%40home:p%3Aw@e.org:8443/")

    #expect(url.credentials?.user == "me@home")
    #expect(url.credentials?.password == "p:w")
    #expect(url.credentials?.origin == url.origin)
    #expect(try WebAddress(parsing: "http://e.org/").credentials == nil)
  }
}
