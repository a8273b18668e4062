/// Why a file was last not to be had.
package struct FailureStatus: Hashable, Codable, Sendable {
  package var what: String
  /// Seconds since 1970.
  package var at: Int
  /// Seconds for which nothing is asked because of it; null: the next read asks.
  package var retryIn: Double?

  package init(what: String, at: Int, retryIn: Double?) {
    self.what = what
    self.at = at
    self.retryIn = retryIn
  }
}
