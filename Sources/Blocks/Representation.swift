/// One version of a resource: the bytes that an origin serves.
///
/// Equal representations have equal bytes, as far as the origin's validators can show.
package struct Representation: Hashable, Codable, Sendable {
  /// The length of the whole version in bytes. An answer that passed all checks has proved the
  /// length.
  package let length: Int
  package let validator: Validator

  package init(length: Int, validator: Validator) {
    self.length = length
    self.validator = validator
  }
}

/// The value that distinguishes one version of a resource from another (RFC 9110 §8.8).
package enum Validator: Hashable, Codable, Sendable {
  /// A strong entity tag, with its quotes, as the origin sent it.
  case entityTag(String)
  /// A Last-Modified date, as the origin sent it. Date and length together identify a version.
  case lastModified(String)
  /// The origin sends no validator, or only a weak one. Then the cache can promise only two things:
  /// the length is the same, and a freshness check found the same first block.
  case none
}
