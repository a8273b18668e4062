/// A cookie (RFC 6265), as libcurl writes it: a line of a cookie file.
///
/// libcurl reads the Set-Cookie fields. It takes no cookie for another host, or for a public suffix
/// where it knows those.
struct Cookie: Hashable, Sendable {
  /// The facts that identify a cookie (RFC 6265 §5.3, step 11).
  struct Key: Hashable, Sendable {
    /// The host, or the domain whose hosts all get the cookie. In lower case, without a dot in front.
    let domain: String
    var isHostOnly: Bool
    let path: String
    let name: String
  }

  private(set) var key: Key
  /// True if the cookie is for https alone.
  let isSecure: Bool
  /// Seconds since 1970; nil if the cookie has no end of its own.
  let expires: Int?
  private let value: String
  private let isHTTPOnly: Bool

  /// Reads a line of libcurl; nil if it is none.
  init?(line: String) {
    let isHTTPOnly = line.hasPrefix(Self.httpOnlyPrefix)
    let fields = line.dropFirst(isHTTPOnly ? Self.httpOnlyPrefix.count : 0)
      .split(separator: "\t", omittingEmptySubsequences: false)
    guard fields.count == 7, let expires = Decimal.parse(fields[4]) else { return nil }
    let domain = fields[0].drop { $0 == "." }
    // A host goes over the wire in ASCII. A letter that joins the dot before it would be another domain.
    guard !domain.isEmpty, domain.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
    key = Key(
      domain: domain.lowercased(), isHostOnly: fields[1] != "TRUE", path: String(fields[2]),
      name: String(fields[5]))
    isSecure = fields[3] == "TRUE"
    self.expires = expires == 0 ? nil : expires
    value = String(fields[6])
    self.isHTTPOnly = isHTTPOnly
  }

  /// The line that gives the cookie to libcurl.
  var line: String {
    let words = [
      key.isHostOnly ? key.domain : "." + key.domain, key.isHostOnly ? "FALSE" : "TRUE", key.path,
      isSecure ? "TRUE" : "FALSE", String(expires ?? 0), key.name, value,
    ]
    return (isHTTPOnly ? Self.httpOnlyPrefix : "") + words.joined(separator: "\t")
  }

  /// The bytes of memory that count for the cookie.
  var size: Int { key.domain.utf8.count + key.path.utf8.count + pairSize }

  /// The bytes of its name and value.
  var pairSize: Int { key.name.utf8.count + value.utf8.count }

  /// Whether the cookie goes to `host`, which is in lower case. libcurl compares the path.
  func belongs(to host: String) -> Bool {
    host == key.domain || !key.isHostOnly && host.hasSuffix("." + key.domain)
  }

  /// Returns the cookie as one for `host` alone; nil if it is for another host.
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
/// A value that decides which cookies are kept, and which are sent. It is bounded, whatever servers
/// send: the oldest cookie leaves first.
struct Cookies: Hashable, Sendable {
  private(set) var all: [Cookie] = []

  var isEmpty: Bool { all.isEmpty }

  /// Returns the cookies that may go to a host.
  ///
  /// - Parameters:
  ///   - scheme: a cookie that is marked `Secure` goes by https alone.
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

  /// Takes the cookies after an answer of `host`.
  ///
  /// - Parameters:
  ///   - found: the cookies that libcurl has now.
  ///   - given: those that it had before. Those that are missing now were taken back.
  ///   - mayNameDomains: false if the public suffixes are not known. A cookie is then for its host
  ///     alone.
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

  /// Takes all of `other`.
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

  /// The host without the brackets of IPv6, as libcurl names it.
  private static func bare(_ host: String) -> String {
    host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
  }

  /// The most cookies of one domain (RFC 6265 §6.1).
  static let maxPerDomain = 50
  /// The most bytes of a name and its value.
  static let maxBytes = 4096
  /// The most bytes of all cookies.
  static let maxTotalBytes = 32 << 10
}
