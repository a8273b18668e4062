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

/// What tells one version of a resource from another (RFC 9110 §8.8).
package enum Validator: Hashable, Codable, Sendable {
  /// A strong entity tag, with its quotes, as the origin sent it.
  case entityTag(String)
  /// A Last-Modified date, as the origin sent it; together with the length it stands for a version.
  case lastModified(String)
  /// The origin names no version, or only a weak one: nothing more can be promised than that the
  /// length, and the first block when it is looked at again, are the same.
  case none
}
