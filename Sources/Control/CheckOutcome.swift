/// What a look at some of a file came to.
package struct CheckOutcome: Hashable, Codable, Sendable {
  package var schema = 1
  /// Bytes that were compared.
  package var checked = 0
  /// Blocks of 64 KiB that did not agree with their checksums, and are held no longer.
  package var wrong = 0
  /// Where to go on; null: that was the end.
  package var next: String?

  package init() {}
}
