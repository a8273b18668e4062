import Addresses

/// A request for a whole small document, such as a feed.
package struct DocumentRequest: Hashable, Sendable {
  package var url: String
  /// The validators of the caller's copy. If they still match, the answer is 304 (RFC 9110 §13.1).
  package var entityTag: String?
  package var lastModified: String?
  /// The largest allowed length of the document in bytes, after decompression. A longer document is
  /// refused, unless `takesBeginning` is true.
  package var limit: Int
  /// Whether a longer document is cut at the limit instead of refused.
  package var takesBeginning = false
  /// The URL that the user typed for this request's feed, as in `RangeRequest.feed`.
  package var feed: TypedAddress?
  /// Further header fields, which are sent only to the origin of `url`. They can contain secrets.
  package var headers: [HeaderField] = []
  /// The cookies that the request shares with other requests; nil if it shares none.
  package var cookies: CookieJar?

  package init(
    url: String, entityTag: String? = nil, lastModified: String? = nil, limit: Int = 64 << 20
  ) {
    self.url = url
    self.entityTag = entityTag
    self.lastModified = lastModified
    self.limit = limit
  }

  var isConditional: Bool { entityTag != nil || lastModified != nil }

  /// The header lines that make the request conditional. A weak tag is enough for a document, but
  /// not for a range.
  var fields: [String] {
    var fields: [String] = []
    if let entityTag, Self.isFieldValue(entityTag) { fields.append("If-None-Match: \(entityTag)") }
    if let lastModified, HTTPDate.isValid(lastModified) {
      fields.append("If-Modified-Since: \(lastModified)")
    }
    return fields
  }

  private static func isFieldValue(_ text: String) -> Bool {
    text.utf8.count <= 256 && text.utf8.allSatisfy { (0x20...0x7e).contains($0) }
  }
}

/// The answer to a `DocumentRequest`.
package struct Document: Hashable, Sendable {
  /// The status: 200, 203, or 206 with all bytes; or 304, which has no bytes.
  package let status: Int
  package internal(set) var bytes: [UInt8]
  package let entityTag: String?
  package let lastModified: String?
  package let contentType: String?
  /// The time for which the answer stays fresh; nil if the answer does not state it.
  package let freshFor: Duration?
  /// The Link fields (RFC 8288), joined by commas; nil if there is none.
  package let link: String?
  /// The document's URL after redirects, without userinfo. Its query can contain secrets.
  package let finalURL: String
  /// True when there were redirects and each was permanent. The feed has then moved to `finalURL`.
  package let hasMoved: Bool

  init(_ head: ResponseHead, at place: AnswerPlace) {
    status = head.status
    bytes = []
    entityTag = head.single("etag")
    lastModified = head.lastModified
    contentType = head.single("content-type")
    freshFor = Freshness.remaining(of: head)
    let links = head.values("link")
    link = links.isEmpty ? nil : links.joined(separator: ", ")
    finalURL = place.url.text
    hasMoved = place.isPermanent
  }
}
