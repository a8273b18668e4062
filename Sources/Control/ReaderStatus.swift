/// Somebody who reads a file.
package struct ReaderStatus: Hashable, Codable, Sendable {
  /// Where he would read next.
  package var position: Int
  /// Bytes from there on that are in the cache.
  package var ahead: Int
  /// For how long they play; null: unknown.
  package var seconds: Double?

  package init(position: Int, ahead: Int, seconds: Double?) {
    self.position = position
    self.ahead = ahead
    self.seconds = seconds
  }
}
