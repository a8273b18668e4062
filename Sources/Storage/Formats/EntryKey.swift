import Blocks

/// The key of a cached version: it tells to which entry the bytes belong.
package struct EntryKey: Hashable, Sendable {
  /// The id of the entry, unique within its feed.
  package let entry: String
  /// The media's URL if the origin sends no validator, otherwise empty. Without a validator, only
  /// the URL tells the bytes of different files apart.
  package let salt: String
  /// True for a growing body. The length of its version is then the most bytes that are ever read
  /// of one, because the real length is not known.
  package let isGrowing: Bool

  package init(entry: String, salt: String = "", isGrowing: Bool = false) {
    self.entry = entry
    self.salt = salt
    self.isGrowing = isGrowing
  }

  /// Returns the name that the files of `representation` share, without `.data` and `.idx`. The
  /// name identifies the entry and its version.
  func fileName(_ representation: Representation, feedKey: String) -> String {
    let length = isGrowing ? "growing" : String(representation.length)
    let version = Fingerprint(of: salt, representation.validator.encodedText, length)
    return Self.prefix(of: entry, feedKey: feedKey) + version.description
  }

  /// Returns the prefix of the names of all versions of `entry`.
  static func prefix(of entry: String, feedKey: String) -> String {
    "\(Fingerprint(of: feedKey, entry))-"
  }

  /// Returns the prefix of each of `names` that can be the name of a version's file.
  static func prefixes(in names: [String]) -> [String] {
    names.map(prefix(ofName:)).filter { !$0.isEmpty }
  }

  /// Returns the prefix of `name`; empty if a version's file cannot have this name.
  static func prefix(ofName name: String) -> String {
    name.firstIndex(of: "-").map { String(name[...$0]) } ?? ""
  }
}

extension Validator {
  /// The kind and the text in one string. Only equal validators have equal strings.
  var encodedText: String {
    switch self {
    case .entityTag(let tag): "E" + tag
    case .lastModified(let date): "M" + date
    case .none: "-"
    }
  }

  init?(encodedText text: String) {
    switch text.first {
    case "E": self = .entityTag(String(text.dropFirst()))
    case "M": self = .lastModified(String(text.dropFirst()))
    case "-" where text == "-": self = .none
    default: return nil
    }
  }
}
