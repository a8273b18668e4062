/// The settings of a test for the resources below a path.
struct Traits: Sendable {
  /// A number added to the seed of generated content: each version has other bytes, tag and date.
  var version: UInt64?
  var tag: Tag?
  var hasLastModified: Bool?
  var cacheControl: String?

  enum Tag: String {
    case strong
    case weak
    case missing = "none"
  }

  /// Parses a control request; nil if one of the values is invalid.
  init?(_ query: [String: String]) {
    if let text = query["version"] {
      guard let number = UInt64(text) else { return nil }
      version = number
    }
    if let text = query["etag"] {
      guard let known = Tag(rawValue: text) else { return nil }
      tag = known
    }
    hasLastModified = query["last_modified"].map { $0 != "none" }
    cacheControl = query["cache_control"]
  }

  init() {}

  /// Overrides these settings with those of `newer`.
  mutating func merge(_ newer: Traits) {
    version = newer.version ?? version
    tag = newer.tag ?? tag
    hasLastModified = newer.hasLastModified ?? hasLastModified
    cacheControl = newer.cacheControl ?? cacheControl
  }

  func apply(to resource: inout Resource) {
    switch tag {
    case .weak: resource.etag = resource.etag.map { "W/" + $0 }
    case .missing: resource.etag = nil
    case .strong, nil: break
    }
    if hasLastModified == false { resource.lastModified = nil }
    if let cacheControl { resource.extra.set("Cache-Control", cacheControl) }
  }
}
