/// The reason why no byte of an answer came.
package struct Silence: Hashable, Sendable {
  /// The cause of a silence. It decides how the client goes on.
  package enum Cause: Hashable, Sendable {
    /// The request did not get past the proxy.
    case proxy
    /// The connection was closed before the answer. Some servers turn requests away like that.
    case closed
    case other
  }

  package let cause: Cause
  /// The reason for the user.
  package let words: String

  package init(_ words: String, cause: Cause = .other) {
    self.words = words
    self.cause = cause
  }
}
