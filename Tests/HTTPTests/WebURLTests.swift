import TestSupport
import Testing

@testable import HTTP

@Suite(.timeLimit(.minutes(1)))
struct WebURLTests {
  @Test(arguments: [
    ("http://Example.ORG", "http://example.org/", "http://example.org:80"),
    ("HTTPS://e.org:444/a/../b?q=1#f", "https://e.org:444/b?q=1", "https://e.org:444"),
    ("http://u:p@e.org/a b/ü?x y", "http://e.org/a%20b/%c3%bc?x+y", "http://e.org:80"),
    ("http://127.1:8080/", "http://127.0.0.1:8080/", "http://127.0.0.1:8080"),
    ("http://0x7f000001/", "http://127.0.0.1/", "http://127.0.0.1:80"),
    ("http://[0:0:0:0:0:0:0:1]/", "http://[::1]/", "http://[::1]:80"),
  ])
  func aURLIsTakenApart(text: String, sent: String, origin: String) throws {
    let url = try WebURL(parsing: text)

    #expect(url.text == sent)
    #expect(url.origin.description == origin)
  }

  @Test(arguments: [
    "", "e.org", "/a", "ftp://e.org/", "file:///etc/passwd", "javascript:alert(1)", "http://",
    "http://e.org:99999/", "http://a\nb/", "http://e.org/\r\nX: y", "http://e.org/\0",
    "gopher://e.org/", "data:text/plain,x", "http://[::1/",
  ])
  func whatCannotBeAskedIsNoURL(text: String) {
    #expect(throws: HTTPError.self) { try WebURL(parsing: text) }
  }

  @Test func noSecretIsShown() throws {
    #expect(shown("http://me:secret@e.org/a?token=secret#secret") == "http://e.org/a?…")
    #expect(shown("https://e.org/a") == "https://e.org/a")
    #expect(!shown("me:secret@").contains("secret"))
    #expect(!"\(HTTPError.status(url: shown("http://u:secret@h/"), 500))".contains("secret"))
  }

  @Test func credentialsAreDecodedAndBoundToTheirOrigin() throws {
    let url = try WebURL(parsing: "https://me%40home:p%3Aw@e.org:8443/")

    #expect(url.credentials?.user == "me@home")
    #expect(url.credentials?.password == "p:w")
    #expect(url.credentials?.origin == url.origin)
    #expect(try WebURL(parsing: "http://e.org/").credentials == nil)
  }

  private func follow(_ location: String?, from base: String, status: Int = 302, hops: Int = 0)
    throws -> Redirect?
  {
    var head = ResponseHead(status: status)
    if let location { head.add("Location", location) }
    return Redirect(head, from: try WebURL(parsing: base), hops: hops)
  }

  @Test(arguments: [
    ("/x", "http://e.org/x"), ("x?y", "http://e.org/a/x?y"), ("//o.org/x", "http://o.org/x"),
    ("?q", "http://e.org/a/b?q"), ("../x", "http://e.org/x"),
    ("https://e.org/x", "https://e.org/x"),
    ("http://u:p@o.org:81/x#f", "http://o.org:81/x"),
  ])
  func aRedirectIsResolved(location: String, target: String) throws {
    guard case .follow(let url, false)? = try follow(location, from: "http://e.org/a/b?c") else {
      Issue.record("not followed")
      return
    }
    #expect(url.text == target)
  }

  @Test(arguments: [(301, true), (308, true), (302, false), (303, false), (307, false)])
  func someRedirectsAreForEver(status: Int, isPermanent: Bool) throws {
    let target = try WebURL(parsing: "http://e.org/x")

    #expect(
      try follow("/x", from: "http://e.org/", status: status)
        == .follow(target, isPermanent: isPermanent))
  }

  @Test func otherAnswersAreNoRedirects() throws {
    for status in [200, 206, 300, 304, 305, 404] {
      #expect(try follow("/x", from: "http://e.org/", status: status) == nil)
    }
  }

  @Test func whatMustNotBeFollowedIsNot() throws {
    let refusals = [
      try follow("ftp://e.org/", from: "http://e.org/"),
      try follow("file:///etc/passwd", from: "http://e.org/"),
      try follow("http://e.org/", from: "https://e.org/"),
      try follow("/x", from: "http://e.org/", hops: Figure.redirects.count),
    ]
    for refusal in refusals {
      guard case .refuse(.blocked)? = refusal else {
        Issue.record("\(String(describing: refusal))")
        continue
      }
    }
    #expect(try follow(nil, from: "http://e.org/") == .refuse(.refused(.badRedirect)))
    let last = try follow("/x", from: "http://e.org/", hops: Figure.redirects.count - 1)
    #expect(last == (try follow("/x", from: "http://e.org/")))
  }
}
