/// The reason why no byte of an answer came.
package struct Silence: Hashable, Sendable {
  /// The cause of a missing answer. It decides what the client does next.
  package enum Cause: Hashable, Sendable {
    /// The request did not get past the proxy.
    case proxy
    /// The connection was closed before the answer. Some servers close it to turn a request away.
    case closed
    case other
  }

  package let cause: Cause
  /// The reason, as text for the user.
  package let words: String

  package init(_ words: String, cause: Cause = .other) {
    self.words = words
    self.cause = cause
  }
}
