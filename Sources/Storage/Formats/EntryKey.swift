import Blocks

/// The entry, within its feed, whose bytes a cache file holds.
package struct EntryKey: Hashable, Sendable {
  /// The entry's id within its feed.
  package let entry: String
  /// Further text that tells bytes apart: the media's URL if the origin names no version, or empty.
  package let salt: String

  package init(entry: String, salt: String = "") {
    self.entry = entry
    self.salt = salt
  }

  /// Returns the name that the files of `representation` share, without `.data` and `.idx`: it
  /// identifies the entry and its version.
  func fileName(_ representation: Representation, feedKey: String) -> String {
    let version = Fingerprint(
      of: salt, representation.validator.storedText, String(representation.length))
    return Self.prefix(of: entry, feedKey: feedKey) + version.description
  }

  /// Returns the prefix of the names of all versions of `entry`.
  static func prefix(of entry: String, feedKey: String) -> String {
    "\(Fingerprint(of: feedKey, entry))-"
  }

  /// Returns the prefixes of the files among `names`.
  static func prefixes(in names: [String]) -> [String] {
    names.map(prefix(ofName:)).filter { !$0.isEmpty }
  }

  /// Returns the prefix of `name`; empty if it is not the name of a file of ours.
  static func prefix(ofName name: String) -> String {
    name.firstIndex(of: "-").map { String(name[...$0]) } ?? ""
  }
}

extension Validator {
  /// Kind and text in one; equal only for equal validators.
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
