import Addresses

/// The rules by which TLS trusts a server. No setting turns verification off.
package struct Trust: Hashable, Codable, Sendable {
  /// A file of CA certificates (PEM) that are trusted instead of the system's; nil if the system's
  /// are trusted.
  package let authorities: String?
  /// The pinned keys of each host. Hosts are in lower case. A key is written as "sha256//…", and
  /// ";" separates several keys.
  private let pins: [String: String]

  package init() {
    authorities = nil
    pins = [:]
  }

  /// - Throws: `badPin` for a pin that is no hash of a key, because libcurl could take it for a
  ///   file name. `badPin` is also thrown for a key of `pins` that is no host.
  package init(authorities: String?, pins: [String: String]) throws(HTTPError) {
    self.authorities = authorities
    var known: [String: String] = [:]
    for (host, text) in pins {
      guard let url = try? WebAddress(parsing: "https://\(host)/"),
        url.text == "https://\(url.host)/",
        url.credentials == nil
      else {
        throw .badPin(
          "\"\(host.tamed)\" is not a host name; a pin is written as host = \"sha256//…\"")
      }
      let hashes = text.split(separator: ";", omittingEmptySubsequences: false)
      guard hashes.allSatisfy(Self.isHash) else {
        throw .badPin(
          "the pin of \(url.host) must be written as sha256// and 44 characters of Base64")
      }
      known[url.host] = text
    }
    self.pins = known
  }

  func pin(of host: String) -> String? { pins[host] }

  /// Whether `text` is `sha256//` and the Base64 of 32 bytes.
  private static func isHash(_ text: Substring) -> Bool {
    guard text.hasPrefix("sha256//") else { return false }
    let hash = text.utf8.dropFirst("sha256//".utf8.count)
    guard hash.count == 44, hash.last == UInt8(ascii: "=") else { return false }
    return hash.dropLast().allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, UInt8(ascii: "+"), UInt8(ascii: "/"): true
      default: false
      }
    }
  }
}
