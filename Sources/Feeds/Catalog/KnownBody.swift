/// What an answer that passed the check has proved about the bytes of an entry.
package struct KnownBody: Hashable, Codable, Sendable {
  /// Bytes of the whole.
  package var length: Int
  /// With its quotes, as the origin sent it.
  package var entityTag: String?
  /// As the origin sent it.
  package var lastModified: String?
  /// The media type, as the origin sent it.
  package var contentType: String?
  /// When the origin last said so, in seconds since 1970.
  package var checkedAt: Int
  /// Seconds for which that answer holds.
  package var freshFor: Int

  package init(
    length: Int, entityTag: String? = nil, lastModified: String? = nil, contentType: String? = nil,
    checkedAt: Int, freshFor: Int
  ) {
    self.length = length
    self.entityTag = entityTag
    self.lastModified = lastModified
    self.contentType = contentType
    self.checkedAt = checkedAt
    self.freshFor = freshFor
  }

  /// Whether both are of one version.
  func isSameVersion(as other: KnownBody) -> Bool {
    length == other.length && entityTag == other.entityTag && lastModified == other.lastModified
  }

  /// Whether the origin is to be asked again.
  ///
  /// An answer from the future was dated by a clock that was wrong, so it counts as stale.
  ///
  /// - Parameter now: seconds since 1970.
  package func isStale(at now: Int) -> Bool {
    guard checkedAt <= now else { return true }
    let (age, overflow) = now.subtractingReportingOverflow(checkedAt)
    return overflow || age >= freshFor
  }
}
