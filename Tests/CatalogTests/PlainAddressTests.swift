import Foundation
import TestSupport
import Testing

@testable import Addresses

/// An address that needs no parser is what libcurl's parser would make of it.
@Suite(.timeLimit(.minutes(1))) struct PlainAddressTests {
  @Test(arguments: ["addresses-typed", "addresses-in-feeds"])
  func anAwkwardAddressIsTheSameWithoutAParser(table: String) throws {
    let tests = #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
    let data = try Data(contentsOf: URL(filePath: "/\(tests)/Fixtures/\(table).json"))
    let rows = try JSONDecoder().decode([[String: String]].self, from: data)
    for row in rows {
      guard let reference = row["reference"] ?? row["typed"] else { continue }
      expectAgreement(about: reference, base: row["base"] ?? "http://host.example/dir/feed?q")
    }
  }

  @Test(arguments: 0..<8)
  func aGeneratedAddressIsTheSameWithoutAParser(seed: Int) {
    var random = SeededRandom(seed: UInt64(seed))
    var plain = 0
    for _ in 0..<4_000 {
      let reference = Self.address(&random)
      plain += PlainAddress.authorityEnd(of: reference) == nil ? 0 : 1
      expectAgreement(about: reference, base: Self.address(&random))
    }
    #expect(plain > 200)
  }

  // MARK: Private

  private func expectAgreement(about reference: String, base: String) {
    #expect(
      WebAddress.usable(reference, base: base) == (try? WebAddress.parsed(reference, base: base)),
      "\(reference) in \(base)")
    for address in [reference, base] where PlainAddress.authorityEnd(of: address) != nil {
      #expect(WebAddress.identity(of: address) == WebAddress.parsedIdentity(of: address))
      #expect(WebAddress.likeness(of: address) == WebAddress.parsedLikeness(of: address))
    }
  }

  /// Most are nearly plain: one part of them is awkward, or none.
  private static func address(_ random: inout SeededRandom) -> String {
    func pick(_ plain: [String], _ awkward: [String]) -> String {
      let choices = random.chance(15) ? awkward : plain
      return choices[random.below(choices.count)]
    }
    let scheme = pick(
      ["https://", "http://"], ["HTTP://", "https:/", "http:", "ftp://", "//", "", "feed://"])
    let host = pick(
      ["h.org", "media.h.org", "a-b.example", "h.org:8080", "127.0.0.1", "h"],
      [
        "H.org", "u:p@h.org", "127.1", "0x7f.1", "[::1]", "h.org:", "h.org:99999", "h..org", ".h",
        "h.org.", "-h", "\u{FC}.org", "a%62", "h_x.org", "", "1.2.3.4.5", "h.org:080", "h:x",
        "h.org:0", "h.org:65535", "h.org:65536", "127.0.0.1:80", "1.2.3.256", "1.2.3.04",
        "1.2.3.4.", "1.h", "1.2.3", "0x1.2.3.4", "4294967295", "a.1b", "1a", "u@h.org:80",
        "[fe80::1%25en0]:80",
      ])
    var text = scheme + host
    for _ in 0..<random.below(4) {
      text += pick(
        ["/a", "/b-c", "/d_e.mp4", "/1234", "/"],
        [
          "/.", "/..", "//", "/.hidden", "/a b", "/%2e%2e", "/\u{E9}", "/a\\b", "/;x", "/%zz",
          "/\t", "/a|b", "/{a}", "/^`'", "/a\"b", "/<a>", "/a.", "/a..b", "/./a",
        ])
    }
    if random.chance(40) {
      text += pick(
        ["?a=1", "?", "?a&b=/c/d"], ["?a=/../b", "?a b", "?\u{E9}", "?a=\"", "?<", "?/."])
    }
    if random.chance(20) { text += pick(["#x", "#"], ["#a b", "#/../x", "#?#"]) }
    return text
  }
}
