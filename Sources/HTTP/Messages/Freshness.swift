/// Reads from a head how long the answer stays fresh, and which pause its origin asks for.
enum Freshness {
  /// Returns for how long the answer is still fresh (RFC 9111 §4.2); nil if it does not state that.
  static func remaining(of head: ResponseHead) -> Duration? {
    let directives = head.values("cache-control").flatMap { $0.split(separator: ",") }
      .map { $0.trimmed.lowercased() }
    if directives.contains(where: { $0 == "no-store" || $0.hasPrefix("no-cache") }) { return .zero }
    let age = min(head.single("age").flatMap { Decimal.parse($0) } ?? 0, maxLifetime)
    if let directive = directives.first(where: { $0.hasPrefix("max-age=") }) {
      let value = directive.dropFirst("max-age=".count).filter { $0 != "\"" }
      guard let seconds = Decimal.parse(value) else { return .zero }
      return .seconds(max(0, min(seconds, maxLifetime) - age))
    }
    guard let expires = head.single("expires") else { return nil }
    // RFC 9111 §5.3: an invalid date means that the answer has expired. Old servers send "0".
    guard let end = HTTPDate.seconds(expires), let date = head.single("date"),
      let now = HTTPDate.seconds(date)
    else { return .zero }
    return .seconds(max(0, min(end - now, maxLifetime) - age))
  }

  /// Returns the pause that Retry-After (RFC 9110 §10.2.3) states, in seconds or by a date. The
  /// pause is a day at most; nil if the field is missing or garbled.
  ///
  /// - Parameter now: seconds since 1970.
  static func retryAfter(of head: ResponseHead, now: Int) -> Duration? {
    guard let text = head.single("retry-after") else { return nil }
    if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      return .seconds(min(Decimal.parse(text) ?? maxWait, maxWait))
    }
    return HTTPDate.seconds(text).map { .seconds(max(0, min($0 - now, maxWait))) }
  }

  private static let maxLifetime = 365 * 24 * 3600  // seconds; RFC 9111 §1.2.2 allows a cap
  private static let maxWait = 24 * 3600  // seconds
}
