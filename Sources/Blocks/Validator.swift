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
