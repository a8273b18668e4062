/// The target of a request: its text, and its decoded parts.
struct Target: Sendable {
  /// Path and query, as the client sent them.
  let text: String
  let path: String
  let query: [String: String]

  /// Parses the origin form, and the absolute form that a proxy gets. RFC 9112 §3.2
  init(_ sent: String) {
    text = Self.withoutAuthority(sent)
    let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    path = percentDecoded(parts[0])
    var query: [String: String] = [:]
    for pair in parts.dropFirst().first?.split(separator: "&") ?? [] {
      let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      query[percentDecoded(sides[0])] = sides.count > 1 ? percentDecoded(sides[1]) : ""
    }
    self.query = query
  }

  private static func withoutAuthority(_ sent: String) -> String {
    guard sent.lowercased().hasPrefix("http://") else { return sent }
    let rest = sent.dropFirst("http://".count)
    guard let start = rest.firstIndex(where: { $0 == "/" || $0 == "?" }) else { return "/" }
    return rest[start] == "/" ? String(rest[start...]) : "/" + rest[start...]
  }
}
