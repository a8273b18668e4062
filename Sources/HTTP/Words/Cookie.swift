/// A cookie (RFC 6265). libcurl receives and returns it as a line of a cookie file.
///
/// libcurl reads the Set-Cookie fields. It refuses a cookie for another host. If it knows the
/// public suffixes (`EasyHandle.knowsSuffixes`), it also refuses a cookie for a public suffix.
struct Cookie: Hashable, Sendable {
  /// The facts that identify a cookie (RFC 6265 §5.3, step 11).
  struct Key: Hashable, Sendable {
    /// The host, or the domain whose hosts all get the cookie. It is in lower case, without a dot
    /// in front.
    let domain: String
    var isHostOnly: Bool
    let path: String
    let name: String
  }

  private(set) var key: Key
  /// True if the cookie is sent only over https.
  let isSecure: Bool
  /// The time at which the cookie expires, in seconds since 1970; nil if it has no such time.
  let expires: Int?
  private let value: String
  private let isHTTPOnly: Bool

  /// Reads a line as libcurl writes it; nil if the line has no cookie.
  init?(line: String) {
    let isHTTPOnly = line.hasPrefix(Self.httpOnlyPrefix)
    let fields = line.dropFirst(isHTTPOnly ? Self.httpOnlyPrefix.count : 0)
      .split(separator: "\t", omittingEmptySubsequences: false)
    guard fields.count == 7, let expires = Decimal.parse(fields[4]) else { return nil }
    let domain = fields[0].drop { $0 == "." }
    // Domains are ASCII in HTTP. A combining letter would make one `Character` with the dot before
    // it, so comparisons would not see that dot.
    guard !domain.isEmpty, domain.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
    key = Key(
      domain: domain.lowercased(), isHostOnly: fields[1] != "TRUE", path: String(fields[2]),
      name: String(fields[5]))
    isSecure = fields[3] == "TRUE"
    self.expires = expires == 0 ? nil : expires
    value = String(fields[6])
    self.isHTTPOnly = isHTTPOnly
  }

  /// The cookie as a line for libcurl.
  var line: String {
    let words = [
      key.isHostOnly ? key.domain : "." + key.domain, key.isHostOnly ? "FALSE" : "TRUE", key.path,
      isSecure ? "TRUE" : "FALSE", String(expires ?? 0), key.name, value,
    ]
    return (isHTTPOnly ? Self.httpOnlyPrefix : "") + words.joined(separator: "\t")
  }

  /// The bytes that the cookie adds to the total that `Cookies` limits.
  var size: Int { key.domain.utf8.count + key.path.utf8.count + pairSize }

  /// The bytes of the cookie's name and value.
  var pairSize: Int { key.name.utf8.count + value.utf8.count }

  /// Whether the cookie goes to `host`, which is in lower case. The path is not compared here,
  /// because libcurl does that.
  func belongs(to host: String) -> Bool {
    host == key.domain || !key.isHostOnly && host.hasSuffix("." + key.domain)
  }

  /// Returns the cookie as one that goes to `host` alone; nil if its domain is not `host`.
  func only(for host: String) -> Cookie? {
    guard host == key.domain else { return nil }
    var cookie = self
    cookie.key.isHostOnly = true
    return cookie
  }

  private static let httpOnlyPrefix = "#HttpOnly_"
}

/// The cookies of one chain of redirects, one stream or one feed (RFC 6265 §5.3, §5.4).
///
/// This value decides which cookies are kept, and which are sent. Its size is bounded, whatever
/// servers send: it removes the oldest cookies first.
struct Cookies: Hashable, Sendable {
  private(set) var all: [Cookie] = []

  var isEmpty: Bool { all.isEmpty }

  /// Returns the cookies that belong to `host` and have not expired.
  ///
  /// - Parameters:
  ///   - scheme: the scheme of the request. A cookie that is marked `Secure` goes only over https.
  ///   - names: the names of cookies that the request has already.
  ///   - now: seconds since 1970.
  func forHost(
    _ host: String, _ scheme: String, besides names: Set<String> = [], now: Int
  ) -> [Cookie] {
    let host = Self.bare(host)
    return all.filter { cookie in
      cookie.belongs(to: host) && (!cookie.isSecure || scheme == "https")
        && cookie.expires.map { $0 > now } ?? true && !names.contains(cookie.key.name)
    }
  }

  /// Takes over the cookies that an answer of `host` has set or deleted.
  ///
  /// - Parameters:
  ///   - found: the cookies that libcurl has after the answer.
  ///   - given: the cookies that libcurl had before. The answer has deleted those that `found`
  ///     lacks.
  ///   - mayNameDomains: false if the public suffixes are not known. Then a cookie counts for
  ///     `host` alone, and a cookie for a wider domain is refused.
  mutating func take(
    _ found: [Cookie], given: [Cookie], from host: String, _ scheme: String,
    mayNameDomains: Bool, now: Int
  ) {
    let host = Self.bare(host)
    let known = Set(given)
    let kept = Set(found.map(\.key))
    let takenBack = Set(given.map(\.key)).subtracting(kept)
    all.removeAll { takenBack.contains($0.key) }
    for cookie in found where !known.contains(cookie) {
      guard cookie.belongs(to: host), !cookie.isSecure || scheme == "https",
        let cookie = mayNameDomains ? cookie : cookie.only(for: host)
      else { continue }
      all.removeAll { $0.key == cookie.key }
      guard cookie.expires.map({ $0 > now }) ?? true, cookie.pairSize <= Self.maxBytes,
        cookie.size <= Self.maxTotalBytes
      else { continue }
      all.append(cookie)
    }
    shrink()
  }

  /// Adds all cookies of `other`. They replace cookies that have the same key.
  mutating func add(_ other: Cookies) {
    let keys = Set(other.all.map(\.key))
    all.removeAll { keys.contains($0.key) }
    all += other.all
    shrink()
  }

  private mutating func shrink() {
    var size = 0
    var counts: [String: Int] = [:]
    var kept: [Cookie] = []
    for cookie in all.reversed() {
      size += cookie.size
      counts[cookie.key.domain, default: 0] += 1
      guard size <= Self.maxTotalBytes else { break }
      if counts[cookie.key.domain, default: 0] <= Self.maxPerDomain { kept.append(cookie) }
    }
    all = kept.reversed()
  }

  /// Returns a host as libcurl names it: an IPv6 address has no brackets.
  private static func bare(_ host: String) -> String {
    host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
  }

  /// The limit of cookies for one domain (RFC 6265 §6.1).
  static let maxPerDomain = 50
  /// The limit of bytes for the name and the value of one cookie together.
  static let maxBytes = 4096
  /// The limit of bytes for all cookies together (`Cookie.size`).
  static let maxTotalBytes = 32 << 10
}
