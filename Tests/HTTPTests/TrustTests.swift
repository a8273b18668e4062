import Testing

@testable import HTTP

@Suite(.timeLimit(.minutes(1)))
struct TrustTests {
  private static let key = "sha256//" + String(repeating: "A", count: 43) + "="
  private static let other = "sha256//" + String(repeating: "+", count: 43) + "="

  @Test func aPinIsThatOfItsHostInAnySpelling() throws {
    let trust = try Trust(
      authorities: nil, pins: ["E.org": Self.key, "[::1]": Self.key + ";" + Self.other])

    #expect(trust.pin(of: "e.org") == Self.key)
    #expect(trust.pin(of: "[::1]") == Self.key + ";" + Self.other)
    #expect(trust.pin(of: "sub.e.org") == nil)
  }

  /// libcurl takes a pin without this prefix for a file name.
  @Test(arguments: [
    "", "/etc/passwd", "sha256//", "sha256/" + String(repeating: "A", count: 44), "md5//AAAA",
    key + ";", key + ";key.pem", ";" + key, key + "A", key + "\n", key.replacing("=", with: "A"),
  ])
  func whatIsNoHashOfAKeyIsRefused(text: String) {
    #expect(throws: HTTPError.self) { try Trust(authorities: nil, pins: ["e.org": text]) }
  }

  @Test(arguments: ["", "e.org:443", "https://e.org", "e.org/a", "u@e.org", "e .org", "e.org?a"])
  func whatIsNoHostHasNoPin(host: String) {
    #expect(throws: HTTPError.self) { try Trust(authorities: nil, pins: [host: Self.key]) }
  }
}
