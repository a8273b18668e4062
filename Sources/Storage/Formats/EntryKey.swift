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

  /// The name that the files of `representation` share, before `.data` and `.idx`: which entry, and
  /// which of its versions.
  func fileName(_ representation: Representation, feedKey: String) -> String {
    let version = Fingerprint(
      of: salt, representation.validator.storedText, String(representation.length))
    return Self.prefix(of: entry, feedKey: feedKey) + version.description
  }

  /// What the names of all versions of `entry` begin with.
  static func prefix(of entry: String, feedKey: String) -> String {
    "\(Fingerprint(of: feedKey, entry))-"
  }

  /// The prefixes of the files among `names`.
  static func prefixes(in names: [String]) -> [String] {
    names.map(prefix(ofName:)).filter { !$0.isEmpty }
  }

  /// What `name` begins with; empty if it is not the name of a file of ours.
  static func prefix(ofName name: String) -> String {
    name.firstIndex(of: "-").map { String(name[...$0]) } ?? ""
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

  init?(storedText text: String) {
    switch text.first {
    case "E": self = .entityTag(String(text.dropFirst()))
    case "M": self = .lastModified(String(text.dropFirst()))
    case "-" where text == "-": self = .none
    default: return nil
    }
  }
}
