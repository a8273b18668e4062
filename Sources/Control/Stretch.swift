/// Bytes of a file in a row.
package struct Stretch: Hashable, Codable, Sendable {
  package var from: Int
  /// Behind the last one.
  package var until: Int

  package init(from: Int, until: Int) {
    self.from = from
    self.until = until
  }
}
