/// An address in a feed: usable, or refused with a reason.
enum WebAddress: Hashable {
  /// An absolute http or https address.
  case usable(String)
  /// The reason, as the end of "its address …".
  case refused(String)

  /// Schemes that feed readers invented for "http".
  private static let spellings: [String: String] = [
    "feed": "http", "itpc": "http", "pcast": "http", "podcast": "http", "itms": "http",
    "itmss": "https", "feeds": "https", "itpcs": "https", "podcasts": "https",
  ]

  init(_ reference: String, base: String) {
    if Self.isPlain(reference) {
      self = .usable(reference)
      return
    }
    var address = Self.resolved(reference, base: base)
    if let scheme = address.scheme, let spelt = Self.spellings[scheme] {
      // "feed:https://host/…" beside "feed://host/…"
      if address.authority == nil, address.path.contains("://") {
        let rest = String(address.text.dropFirst(scheme.utf8.count + 1))
        address = URLReference(URLReference.resolve(rest, against: "http:"))
      } else {
        address.scheme = spelt
      }
    }
    guard let scheme = address.scheme else {
      self = .refused("is relative, and to what is not known")
      return
    }
    guard scheme == "http" || scheme == "https" else {
      self = .refused("begins with \(scheme.prefix(32)): and not with http: or https:")
      return
    }
    guard let authority = address.authority, !Self.host(of: authority).isEmpty else {
      self = .refused("names no host")
      return
    }
    address.authority = Self.lowercasingHost(authority)
    self = .usable(address.text)
  }

  /// Returns the absolute address; nil if it is refused.
  static func usable(_ reference: String?, base: String) -> String? {
    guard let reference, case .usable(let address) = WebAddress(reference, base: base) else {
      return nil
    }
    return address
  }

  /// The longest base, in bytes: every relative address of a document grows by its base.
  private static let longestBase = 2 << 10

  /// Returns the base of relative addresses below an `xml:base` of `reference`.
  ///
  /// Ignores a base that nothing can be fetched from (RFC 3986 §5.1), and one that is longer than
  /// any address in use.
  static func base(_ reference: String, within parent: String) -> String {
    let base = resolved(reference, base: parent)
    guard base.text.utf8.count <= longestBase else { return parent }
    guard let scheme = base.scheme else { return base.text }
    return scheme == "http" || scheme == "https" || spellings[scheme] != nil ? base.text : parent
  }

  /// Resolves as RFC 3986 §5.2 and browsers do: "http:path" is relative if the base is http, and
  /// extra slashes before the host do no harm.
  private static func resolved(_ reference: String, base: String) -> URLReference {
    let address = URLReference(URLReference.resolve(reference, against: base))
    guard let scheme = address.scheme, scheme == "http" || scheme == "https" else {
      return address
    }
    if address.authority == "" {
      return URLReference("\(scheme)://" + address.path.drop { $0 == "/" } + address.ending)
    }
    if address.authority == nil, !address.path.isEmpty, URLReference(base).scheme == scheme {
      let rest = address.path + address.ending
      return URLReference(URLReference.resolve(rest, against: base))
    }
    return address
  }

  /// True when `reference` is in its final form already: an absolute address in lower case up to
  /// its path, with nothing to resolve, encode or remove. Nearly all are.
  private static func isPlain(_ reference: String) -> Bool {
    var rest = Substring(reference).utf8
    if rest.starts(with: "https://".utf8) {
      rest = rest.dropFirst(8)
    } else if rest.starts(with: "http://".utf8) {
      rest = rest.dropFirst(7)
    } else {
      return false
    }
    var isHost = true
    var length = 0
    var before = Byte.slash
    for byte in rest {
      guard (0x21...0x7E).contains(byte) else { return false }
      if isHost, [Byte.slash, UInt8(ascii: "?"), Byte.hash].contains(byte) { isHost = false }
      if isHost {
        let isName = (0x61...0x7A).contains(byte) || Byte.isDigit(byte)
        guard isName || (length > 0 && [0x2D, 0x2E, Byte.colon].contains(byte)) else {
          return false
        }
        length += 1
      } else if before == Byte.slash, byte == UInt8(ascii: ".") {
        return false
      }
      before = byte
    }
    return length > 0
  }

  private static func host(of authority: String) -> Substring {
    let afterUser = authority.lastIndex(of: "@").map { authority.index(after: $0) }
    let host = authority[(afterUser ?? authority.startIndex)...]
    return host.hasPrefix("[") ? host : host.prefix { $0 != ":" }
  }

  private static func lowercasingHost(_ authority: String) -> String {
    guard let at = authority.lastIndex(of: "@") else { return authority.lowercased() }
    return authority[...at] + authority[at...].dropFirst().lowercased()
  }
}
