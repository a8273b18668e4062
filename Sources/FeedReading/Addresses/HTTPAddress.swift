/// An absolute http or https address in its parts (RFC 3986 §3), each in one spelling.
///
/// Scheme and host are in lower case, the default port and the fragment are left out, an empty path
/// is "/", and non-ASCII characters in path, query and userinfo are percent-encoded. The parser
/// works on bytes, as HTTP clients do: as a `Character`, the "/" of "/\u{301}" is no slash.
package struct HTTPAddress: Hashable, Sendable {
  private typealias Bytes = ArraySlice<UInt8>

  package let scheme: String
  /// The text before the "@": a secret.
  let userinfo: String?
  /// The host; an IPv6 address has its brackets.
  let host: String
  /// Nil if it is the scheme's default port.
  let port: Int?
  /// The path; begins with "/".
  let path: String
  /// The query without the "?"; often a secret.
  let query: String?

  @inlinable package init(_ text: some StringProtocol) throws(FeedURLError) {
    try self.init(bytes: Array(text.utf8))
  }

  @usableFromInline init(bytes: [UInt8]) throws(FeedURLError) {
    guard !bytes.contains(where: \.isControl) else { throw .badCharacter }
    let (scheme, rest) = try Self.scheme(of: bytes[...])
    let end = rest.firstIndex { $0 == .slash || $0 == .question || $0 == .hash } ?? rest.endIndex
    let authority = rest[..<end]
    let at = authority.lastIndex(of: .at)
    let (host, port) = try Self.split(at.map { authority[($0 + 1)...] } ?? authority)

    self.scheme = scheme
    self.userinfo = at.map { Self.encoded(authority[..<$0]) }
    self.host = try Self.checked(host)
    self.port = port == (scheme == "https" ? 443 : 80) ? nil : port
    let target = rest[end...].prefix { $0 != .hash }
    let mark = target.firstIndex(of: .question) ?? target.endIndex
    let path = Self.encoded(target[..<mark])
    self.path = path.isEmpty ? "/" : path
    self.query = mark == target.endIndex ? nil : Self.encoded(target[(mark + 1)...])
  }

  /// The host, and the port if it is not the usual one.
  package var authority: String { host + (port.map { ":\($0)" } ?? "") }

  /// Path and query.
  package var target: String { path + (query.map { "?" + $0 } ?? "") }

  // MARK: Reading

  private static func scheme(of text: Bytes) throws(FeedURLError) -> (String, Bytes) {
    guard !text.isEmpty else { throw .empty }
    guard let colon = text.firstIndex(of: .colon), colon > 0 else { throw .noScheme }
    guard text[..<colon].allSatisfy(\.isInScheme) else { throw .noScheme }
    let scheme = String(decoding: text[..<colon], as: UTF8.self).lowercased()
    let isWeb = scheme == "http" || scheme == "https"
    let rest = text[(colon + 1)...]
    guard rest.starts(with: [.slash, .slash]) else {
      // "host:8080/feed" and "user:password@host" have a colon too.
      throw isWeb ? .noHost : .noScheme
    }
    guard isWeb else { throw .unsupportedScheme(scheme) }
    return (scheme, rest.dropFirst(2))
  }

  private static func split(_ text: Bytes) throws(FeedURLError) -> (Bytes, Int?) {
    let host = text.first == .bracket ? text.firstIndex(of: .closingBracket) : text.startIndex
    guard let host else { throw .badHost }
    guard let colon = text[host...].firstIndex(of: .colon) else { return (text, nil) }
    let digits = text[(colon + 1)...]
    guard !digits.isEmpty else { return (text[..<colon], nil) }  // RFC 3986 §3.2.3: may be empty
    guard digits.allSatisfy(\.isDigit), let port = Int(String(decoding: digits, as: UTF8.self)),
      (1...65535).contains(port)
    else { throw .badPort }
    return (text[..<colon], port)
  }

  /// Returns the host in lower case: a name, or an IPv6 address in brackets.
  private static func checked(_ bytes: Bytes) throws(FeedURLError) -> String {
    guard !bytes.isEmpty else { throw .noHost }
    let host = String(decoding: bytes, as: UTF8.self).lowercased()
    guard bytes.first == .bracket else {
      guard host.unicodeScalars.allSatisfy(\.isInHost) else { throw .badHost }
      return host
    }
    let address = host.utf8.dropFirst().dropLast()
    guard bytes.last == .closingBracket, !address.isEmpty, address.allSatisfy(\.isInAddress) else {
      throw .badHost
    }
    return host
  }

  /// Percent-encodes `bytes` (RFC 3986 §2.1); existing encoding stays as it is.
  private static func encoded(_ bytes: Bytes) -> String {
    guard bytes.contains(where: \.needsEncoding) else {
      return String(decoding: bytes, as: UTF8.self)
    }
    var result = ""
    for byte in bytes {
      if byte.needsEncoding {
        let digits = String(byte, radix: 16, uppercase: true)
        result += digits.utf8.count == 1 ? "%0\(digits)" : "%\(digits)"
      } else {
        result.unicodeScalars.append(Unicode.Scalar(byte))
      }
    }
    return result
  }
}

extension UInt8 {
  fileprivate static let hash = UInt8(ascii: "#")
  fileprivate static let slash = UInt8(ascii: "/")
  fileprivate static let colon = UInt8(ascii: ":")
  fileprivate static let question = UInt8(ascii: "?")
  fileprivate static let at = UInt8(ascii: "@")
  fileprivate static let bracket = UInt8(ascii: "[")
  fileprivate static let closingBracket = UInt8(ascii: "]")

  fileprivate var isControl: Bool { self < 0x20 || self == 0x7f }
  fileprivate var isDigit: Bool { (0x30...0x39).contains(self) }
  fileprivate var isLetter: Bool { (0x61...0x7a).contains(self | 0x20) }

  fileprivate var isInScheme: Bool {
    isLetter || isDigit || self == 0x2b || self == 0x2d || self == 0x2e  // + - .
  }

  /// True for the bytes of an IPv6 address in lower case: hexadecimal digits, ":" and ".".
  fileprivate var isInAddress: Bool {
    isDigit || (0x61...0x66).contains(self) || self == .colon || self == 0x2e
  }

  /// True for the space, the quotation mark, angle brackets, and bytes beyond ASCII.
  fileprivate var needsEncoding: Bool {
    self > 0x7e || self == 0x20 || self == 0x22 || self == 0x3c || self == 0x3e
  }
}

extension Unicode.Scalar {
  /// True for letters of all scripts with their marks, digits, "-", "_" and ".".
  fileprivate var isInHost: Bool {
    guard !isASCII else {
      let byte = UInt8(truncatingIfNeeded: value)
      return byte.isLetter || byte.isDigit || self == "-" || self == "_" || self == "."
    }
    switch properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .nonspacingMark, .spacingMark, .decimalNumber:
      return true
    default:
      return false
    }
  }
}
