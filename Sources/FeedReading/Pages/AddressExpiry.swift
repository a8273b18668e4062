import Addresses

/// Reads the time when an address expires from the address itself.
package enum AddressExpiry {
  /// Returns the time when `address` expires, in seconds since 1970; nil if the address does not
  /// say. A time in the past, or 366 days or more ahead, is ignored, because such a number means
  /// something else.
  ///
  /// These forms are known: `expires=`, `expire=` and `exp=` in the query (CloudFront, S3,
  /// googlevideo); the same words in the path (`/expire/1700000000/`); the tokens of Akamai and
  /// Vimeo (`exp=1700000000~…`); `X-Amz-Date` with `X-Amz-Expires`, and Google's `X-Goog-Date` with
  /// `X-Goog-Expires`.
  package static func time(of address: String, now: Int) -> Int? {
    times(in: address, names).filter { $0 > now && $0 - now < maxLife }.min()
  }

  /// Whether `address` states a time of expiry that is less than 366 days before or after `now`.
  /// `now` is in seconds since 1970.
  ///
  /// This recognises more words than `time`, such as Azure's `se`. A mistake here is harmless: it
  /// only makes the address be looked up again.
  package static func isStated(in address: String, now: Int) -> Bool {
    times(in: address, manyNames).contains { time in
      let distance = time.subtractingReportingOverflow(now)
      return !distance.overflow && distance.partialValue.magnitude < maxLife
    }
  }

  private static func times(in address: String, _ names: Set<String>) -> [Int] {
    let address = address.prefix { $0 != "#" }
    let parts = address.split(separator: "?", maxSplits: 1)
    let query = parts.count == 2 ? fields(of: parts[1]) : []
    var times = query.filter { names.contains($0.name) }
      .compactMap { Int($0.value) ?? ($0.value.contains("-") ? FeedDate.parse($0.value) : nil) }
    times += query.compactMap { tokenTime($0.value) }
    times += ["x-amz", "x-goog"].compactMap { signedTime(query, $0) }
    let path = (parts.first ?? "").split(separator: "/")
    times += zip(path, path.dropFirst()).filter { names.contains($0.0.lowercased()) }
      .compactMap { Int($0.1) }
    times += path.compactMap { tokenTime(PercentEncoding.decoded(String($0))) }
    return times
  }

  private static let names: Set<String> = ["expires", "expire", "exp"]
  private static let manyNames = names.union([
    "e", "se", "expiry", "expires_at", "expireat", "expiration", "validto", "valid_to",
    "valid_until", "deadline", "wstime",
  ])
  private static let maxLife = 366 * 86_400  // seconds

  private static func fields(of query: Substring) -> [(name: String, value: String)] {
    query.split(separator: "&").prefix(256).compactMap { pair in
      let parts = pair.split(separator: "=", maxSplits: 1)
      guard parts.count == 2 else { return nil }
      return (parts[0].lowercased(), PercentEncoding.decoded(String(parts[1])))
    }
  }

  /// Returns the time in a token such as "st=…~exp=1700000000~hmac=…"; nil for any other text.
  private static func tokenTime(_ text: String) -> Int? {
    guard text.contains("~") else { return nil }
    let part = text.split(separator: "~").first { $0.lowercased().hasPrefix("exp=") }
    return part.flatMap { Int($0.dropFirst(4)) }
  }

  /// Returns the time when an address that is signed for S3 or Google's storage expires: its date
  /// plus its lifetime.
  private static func signedTime(
    _ query: [(name: String, value: String)], _ kind: String
  ) -> Int? {
    guard let date = query.first(where: { $0.name == kind + "-date" })?.value,
      let begin = FeedDate.parse(date),
      let life = query.first(where: { $0.name == kind + "-expires" }).flatMap({ Int($0.value) }),
      (1...maxLife).contains(life)
    else { return nil }
    return begin + life
  }
}
