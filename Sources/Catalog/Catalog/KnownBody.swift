package import FeedReading
import Streams

/// Facts about the bytes of one version of an entry. An origin's answer has proved them, and the
/// answer was checked.
package struct KnownBody: Hashable, Codable, Sendable {
  /// The length of the whole file in bytes.
  package var length: Int
  /// The ETag with its quotes, as the origin sent it.
  package var entityTag: String?
  /// The Last-Modified field, as the origin sent it.
  package var lastModified: String?
  /// The media type, as the origin sent it.
  package var contentType: String?
  /// The time of the origin's last confirmation, in seconds since 1970.
  package var checkedAt: Int
  /// The number of seconds for which no freshness check is needed after `checkedAt`.
  package var freshFor: Int
  /// True if the facts come only from a request for the size, and no reader has read a byte yet.
  /// The first answer to a reader then takes precedence.
  package var isMeasured = false
  /// A strong Last-Modified field of this version that is not in `lastModified`, as the origin sent
  /// it; nil if none is known.
  package var date: String?
  /// The origin (scheme, host and port) that sends different entity tags for the same bytes of this
  /// file, so that its tags are ignored; nil if no origin does.
  package var untaggedAt: String?

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

  /// Whether the file is made of a stream. `entityTag` is then the tag of the stream's layout.
  package var isStream: Bool { entityTag.map(StreamLayout.isFilm) ?? false }

  /// Whether both facts describe the same version.
  func isSameVersion(as other: KnownBody) -> Bool {
    length == other.length && entityTag == other.entityTag && lastModified == other.lastModified
  }

  /// Takes over those facts from `earlier` that the new answer does not repeat, if both are about
  /// the same version.
  package mutating func keep(_ earlier: KnownBody?) {
    guard let earlier, isSameVersion(as: earlier) else { return }
    date = earlier.date ?? date
    untaggedAt = untaggedAt ?? earlier.untaggedAt
  }

  /// Whether a freshness check is due.
  ///
  /// A check is also due if `checkedAt` is in the future, because then it comes from a wrong clock.
  ///
  /// - Parameter now: seconds since 1970.
  package func isStale(at now: Int) -> Bool {
    guard checkedAt <= now else { return true }
    let (age, overflow) = now.subtractingReportingOverflow(checkedAt)
    return overflow || age >= freshFor
  }
}

extension KnownBody: Fielded {
  package static let order = FieldKeys.order(of: KnownBody.self)

  package static var blank: KnownBody { KnownBody(length: 0, checkedAt: 0, freshFor: 0) }

  @inline(__always)
  package mutating func visit<Visitor: FieldVisitor>(
    _ visitor: inout Visitor
  ) throws(Visitor.Fault) {
    try visitor.field("length", &length)
    try visitor.field("entityTag", &entityTag)
    try visitor.field("lastModified", &lastModified)
    try visitor.field("contentType", &contentType)
    try visitor.field("checkedAt", &checkedAt)
    try visitor.field("freshFor", &freshFor)
    try visitor.rare("measured", &isMeasured)
    try visitor.field("date", &date)
    try visitor.field("untaggedAt", &untaggedAt)
  }
}
