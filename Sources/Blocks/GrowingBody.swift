/// The head of an answer that does not say how long the body is, or of one that continues such a
/// body.
package struct GrowingBody: Hashable, Sendable {
  package let validator: Validator
  /// The offset of the first byte that follows.
  package let start: Int
  /// Bytes of the whole body, if the origin has said it by now.
  package let length: Int?
  /// True if the end of the body differs from a break: by a last chunk, by HTTP/2, or by a length.
  /// Otherwise the body ends when the connection is closed.
  package let isFramed: Bool

  package init(validator: Validator, start: Int, length: Int?, isFramed: Bool) {
    self.validator = validator
    self.start = start
    self.length = length
    self.isFramed = isFramed
  }
}
