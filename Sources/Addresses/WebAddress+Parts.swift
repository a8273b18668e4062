extension WebAddress {
  /// The parts of an http or https address. They are mostly as they were written, but equal
  /// addresses have one spelling.
  ///
  /// Scheme and host are in lower case. The default port and the fragment are left out. An empty
  /// path is "/". White space, quotation marks, angle brackets and letters beyond ASCII are
  /// percent-encoded. Everything else is as written, even dot segments, because keys on the disk
  /// have this spelling.
  package struct Parts: Hashable, Sendable {
    package let scheme: String
    /// The text before the "@". It is a secret.
    package let userinfo: String?
    /// The host. An IPv6 address has its brackets.
    package let host: String
    /// The host as a request names it. It differs from `host` in IP addresses such as "127.1" and
    /// "[0:0::1]", which libcurl rewrites.
    private let asked: String
    /// The port; nil if it is the scheme's default port.
    package let port: Int?
    /// The path. It begins with "/".
    package let path: String
    /// The query without the "?". It is often a secret.
    package var query: String?

    package init(_ text: some StringProtocol) throws(AddressError) {
      scheme = try Self.scheme(of: text)
      let handle = try URLHandle(PercentEncoding.encodedRest(of: String(text)), as: .written)
      guard let asked = handle.part(.host)?.lowercased() else { throw .noHost }
      guard asked.hasPrefix("[") ? handle.part(.zone) == nil : Self.canBeShown(asked) else {
        throw .badHost
      }
      self.asked = asked
      host = Self.isIP(asked) ? Self.host(in: text) : asked
      let password = handle.part(.password).map { ":" + $0 }
      userinfo = handle.part(.user).map { $0 + (password ?? "") } ?? password
      let port = handle.part(.port).map { Int($0) ?? 0 }
      if let port, !(1...65535).contains(port) { throw .badPort }
      self.port = port == (scheme == "https" ? 443 : 80) ? nil : port
      path = handle.part(.path) ?? "/"
      query = handle.part(.query)
    }

    /// The host, followed by the port unless that is the scheme's default port.
    package var authority: String { Self.authority(host, port) }

    /// The address without the parts that can differ while the bytes are the same: the scheme,
    /// userinfo and fragment.
    var likeness: String { Self.authority(asked, port) + target }

    /// The path, and the query with its "?".
    package var target: String { path + (query.map { "?" + $0 } ?? "") }

    /// The whole address.
    package var text: String {
      "\(scheme)://\(userinfo.map { $0 + "@" } ?? "")\(authority)\(target)"
    }

    private static func authority(_ host: String, _ port: Int?) -> String {
      host + (port.map { ":\($0)" } ?? "")
    }

    /// Returns the scheme in lower case. Makes checks that libcurl does not make, because libcurl
    /// skips extra slashes and knows other schemes.
    private static func scheme(of text: some StringProtocol) throws(AddressError) -> String {
      guard !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7f }) else { throw .badCharacter }
      guard !text.isEmpty else { throw .empty }
      guard let scheme = WebAddress.scheme(of: text) else { throw .noScheme }
      let isWeb = scheme == "http" || scheme == "https"
      let rest = text.utf8.dropFirst(scheme.utf8.count + 1)
      // Text without a scheme can have a colon too: "host:8080/feed", "user:password@host".
      guard rest.starts(with: "//".utf8) else { throw isWeb ? .noHost : .noScheme }
      guard isWeb else { throw .unsupportedScheme(scheme) }
      guard !rest.starts(with: "///".utf8) else { throw .noHost }
      return scheme
    }

    private static func isIP(_ host: String) -> Bool {
      host.hasPrefix("[") || host.utf8.allSatisfy { (0x2e...0x39).contains($0) }
    }

    /// Returns the host as it was typed, in lower case. Keys on the disk have IP addresses in this
    /// spelling.
    private static func host(in text: some StringProtocol) -> String {
      let start = text.firstRange(of: "://")?.upperBound ?? text.startIndex
      let authority = text[start...].prefix { !"/?#".contains($0) }
      let place = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
      let isBracketed = place.hasPrefix("[")
      let host = isBracketed ? "\(place.prefix { $0 != "]" })]" : String(place.prefix { $0 != ":" })
      return host.lowercased()
    }

    /// True if a host can be shown without deceiving a person. Such a host has only letters of any
    /// script with their marks, digits, "-", "_" and ".".
    private static func canBeShown(_ host: String) -> Bool {
      host.unicodeScalars.allSatisfy { scalar in
        guard !scalar.isASCII else {
          return scalar.properties.isAlphabetic || "0123456789-_.".unicodeScalars.contains(scalar)
        }
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
          .nonspacingMark, .spacingMark, .decimalNumber:
          return true
        default:
          return false
        }
      }
    }
  }

  /// Returns the scheme in lower case (RFC 3986 §3.1); nil for text without one.
  static func scheme(of text: some StringProtocol) -> String? {
    guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")), colon > text.startIndex else {
      return nil
    }
    let scheme = text[..<colon].lowercased()
    guard let first = scheme.utf8.first, (0x61...0x7a).contains(first),
      scheme.utf8.allSatisfy({ byte in
        (0x61...0x7a).contains(byte) || (0x30...0x39).contains(byte) || "+-.".utf8.contains(byte)
      })
    else { return nil }
    return scheme
  }
}
