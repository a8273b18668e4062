import Addresses
import TestSupport
import Testing

@testable import HTTP

@Suite(.timeLimit(.minutes(1)))
struct RedirectRuleTests {
  private func follow(_ location: String?, from base: String, status: Int = 302, hops: Int = 0)
    throws -> Redirect?
  {
    var head = ResponseHead(status: status)
    if let location { head.add("Location", location) }
    return Redirect(head, from: try WebAddress(parsing: base), hops: hops)
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
    let target = try WebAddress(parsing: "http://e.org/x")

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
      try follow("http:x", from: "http://e.org/"),
      try follow("http:\\\\o.org\\x", from: "http://e.org/"),
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
