import Blocks

/// Which entry's bytes a cache file holds, within its feed.
package struct EntryKey: Hashable, Sendable {
  /// The entry's id, as the feed tells its entries apart.
  package let entry: String
  /// What else the bytes depend on: the media's URL where the origin names no version, else empty.
  package let salt: String

  package init(entry: String, salt: String = "") {
    self.entry = entry
    self.salt = salt
  }

  /// The name that the files of `representation` share, before `.data` and `.idx`.
  func fileName(_ representation: Representation, feedKey: String) -> String {
    Fingerprint(
      of: feedKey, entry, salt, representation.validator.storedText, String(representation.length)
    ).description
  }
}

extension Validator {
  /// Kind and text in one: equal for equal validators only.
  var storedText: String {
    switch self {
    case .entityTag(let tag): "E" + tag
    case .lastModified(let date): "M" + date
    case .none: "-"
    }
  }
}
