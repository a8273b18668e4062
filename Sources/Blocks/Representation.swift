/// One version of a resource: what its bytes belong to.
///
/// Equal representations have equal bytes as far as the origin's validators can tell.
package struct Representation: Hashable, Codable, Sendable {
  /// Bytes of the whole, as proved by a response that passed the check.
  package let length: Int
  package let validator: Validator

  package init(length: Int, validator: Validator) {
    self.length = length
    self.validator = validator
  }
}
