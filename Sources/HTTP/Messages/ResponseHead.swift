/// The status and the header fields of a response.
package struct ResponseHead: Hashable, Sendable {
  let status: Int
  /// True if the head came over HTTP/2 or later, where each stream has an end of its own.
  var hasStreams = false
  /// True if the head begins with `ICY`, as SHOUTcast's answers do (`ICY 200 OK`).
  var isICY = false
  private(set) var fields: [Field] = []

  struct Field: Hashable, Sendable {
    /// The name in lower case.
    let name: String
    var value: String
  }

  package init(status: Int, _ fields: KeyValuePairs<String, String> = [:]) {
    self.status = status
    for (name, value) in fields { add(name, value) }
  }

  mutating func add(_ name: some StringProtocol, _ value: some StringProtocol) {
    fields.append(Field(name: name.lowercased(), value: value.trimmed))
  }

  /// Appends a folded line to the last field (RFC 9112 §5.2).
  mutating func fold(_ rest: some StringProtocol) {
    guard !fields.isEmpty else { return }
    fields[fields.count - 1].value += " " + rest.trimmed
  }

  /// Returns all values of a field, in order. `name` must be in lower case.
  func values(_ name: String) -> [String] {
    fields.lazy.filter { $0.name == name }.map(\.value)
  }

  /// Returns the value of a field that is allowed to appear only once; nil if it is missing or
  /// appears with different values.
  func single(_ name: String) -> String? {
    let values = values(name)
    guard let first = values.first, values.allSatisfy({ $0 == first }) else { return nil }
    return first
  }

  /// The place of a part in the whole; nil if the field is missing or garbled, or if it appears
  /// with different values.
  var contentRange: ContentRange? {
    single("content-range").flatMap(ContentRange.init(parsing:))
  }

  /// True if the body has a marked end, even without a length. If it has none, the end of the body
  /// looks like a broken connection.
  var framesItsBody: Bool {
    hasStreams || values("transfer-encoding").last?.lowercased().hasSuffix("chunked") ?? false
  }

  /// The media type in lower case, without parameters.
  var mediaType: String? {
    single("content-type")?.split(separator: ";").first.map { $0.trimmed.lowercased() }
  }

  /// The entity tag if it is strong. A weak tag is ignored, because two versions with different
  /// bytes can have the same weak tag.
  var strongTag: String? {
    single("etag").flatMap { EntityTag.isStrong($0) ? $0 : nil }
  }

  var lastModified: String? {
    single("last-modified").flatMap { HTTPDate.isValid($0) ? $0 : nil }
  }
}
