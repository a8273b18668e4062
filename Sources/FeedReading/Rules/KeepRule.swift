import Quantities

/// The entries of a feed that are fetched automatically.
package enum KeepRule: Hashable, Codable, Sendable {
  /// The given number of entries, the newest of those that were not played to their end.
  case newest(Int)
  /// All entries that were not played to their end.
  case unplayed
  /// All entries, also those that were played.
  case all

  /// The rule that fetches nothing. It excepts one feed from the rule that is set for all feeds.
  package static let nothing = KeepRule.newest(0)

  /// The rule as the user writes it.
  package var text: String {
    switch self {
    case .nothing: "none"
    case .newest(let count): "\(count)"
    case .unplayed: "unplayed"
    case .all: "all"
    }
  }
}

extension KeepRule: WrittenValue {
  package static let form = "as a number from 1, or as \"all\", \"unplayed\" or \"none\""

  package init?(parsing text: String) {
    switch text {
    case "all": self = .all
    case "unplayed": self = .unplayed
    case "none": self = .nothing
    default:
      guard let count = Int(text), count > 0 else { return nil }
      self = .newest(count)
    }
  }
}
