/// The head of an answer with a growing body: the answer does not tell the length of the body, or
/// it continues a body whose length was not told before.
package struct GrowingBody: Hashable, Sendable {
  package let validator: Validator
  /// The offset in the whole body of the first byte that this answer brings.
  package let start: Int
  /// The length of the whole body in bytes; nil if the origin has not told it yet.
  package let length: Int?
  /// True if the end of the body can be distinguished from a broken connection: by a last chunk, by
  /// HTTP/2 or by a length. Otherwise the body ends when the origin closes the connection.
  package let isFramed: Bool

  package init(validator: Validator, start: Int, length: Int?, isFramed: Bool) {
    self.validator = validator
    self.start = start
    self.length = length
    self.isFramed = isFramed
  }
}
