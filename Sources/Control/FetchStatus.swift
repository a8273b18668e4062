/// Bytes that were asked for, and are on their way.
package struct FetchStatus: Hashable, Codable, Sendable {
  package var from: Int
  /// Behind the last one.
  package var until: Int
  /// Up to where they have come.
  package var position: Int

  package init(from: Int, until: Int, position: Int) {
    self.from = from
    self.until = until
    self.position = position
  }
}
