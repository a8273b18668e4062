/// Decides which requests share an HTTP/2 connection.
///
/// A reader's request shares, because a new connection takes three round trips. A lane, which is a
/// request that runs ahead beside another of the same file, gets a connection of its own: some
/// origins limit the rate of each connection. `Lanes` measures whether an origin does, as over
/// HTTP/1.
enum Sharing {
  /// Returns whether a request gets a connection of its own.
  ///
  /// - Parameters:
  ///   - others: one value for each running request for the same file: the time until its last byte
  ///     comes, at its rate so far; nil if it has no byte yet.
  ///   - latency: the usual time until the head of an answer.
  ///   - isLimited: true while there is a rate limit. If one HTTP/2 stream waits for the limit,
  ///     libcurl stops its whole connection. A document on that connection would wait too, but must
  ///     not.
  static func isApart(
    _ priority: RangeRequest.Priority, beside others: [Duration?], latency: Duration?,
    isLimited: Bool
  ) -> Bool {
    if isLimited { return true }
    guard priority == .ahead else { return false }
    // If the other requests are nearly finished, this request follows them and is no lane.
    let nearEnd = (latency ?? .zero) * 2
    return others.contains { $0.map { $0 > nearEnd } ?? true }
  }
}
