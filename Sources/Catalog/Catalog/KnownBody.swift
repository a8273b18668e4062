package import FeedReading
import Streams

/// Facts about the bytes of an entry, proved by an answer that passed the check.
package struct KnownBody: Hashable, Codable, Sendable {
  /// The length of the whole, in bytes.
  package var length: Int
  /// The ETag with its quotes, as the origin sent it.
  package var entityTag: String?
  /// The Last-Modified field, as the origin sent it.
  package var lastModified: String?
  /// The media type, as the origin sent it.
  package var contentType: String?
  /// The time of the origin's last confirmation, in seconds since 1970.
  package var checkedAt: Int
  /// The seconds for which that confirmation holds.
  package var freshFor: Int
  /// Whether no reader has read any byte of it: the facts come from a question for its size. The
  /// first answer to a reader then counts more.
  package var isMeasured = false
  /// A strong Last-Modified, as the origin sent it, of a version that `lastModified` does not name.
  package var date: String?
  /// The origin (scheme, host and port) at which the tags of this file do not count, because it names
  /// the same bytes by several; nil if there is none.
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

  /// Whether the bytes are made of a stream. Then the tag is that of its layout.
  package var isStream: Bool { entityTag.map(StreamLayout.isFilm) ?? false }

  /// Whether both describe the same version.
  func isSameVersion(as other: KnownBody) -> Bool {
    length == other.length && entityTag == other.entityTag && lastModified == other.lastModified
  }

  /// Takes over those earlier facts that the answer does not repeat, if they are about the same
  /// version.
  package mutating func keep(_ earlier: KnownBody?) {
    guard let earlier, isSameVersion(as: earlier) else { return }
    date = earlier.date ?? date
    untaggedAt = untaggedAt ?? earlier.untaggedAt
  }

  /// Whether a freshness check is due.
  ///
  /// A check is also due if the last one lies in the future, because a wrong clock dated it.
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
