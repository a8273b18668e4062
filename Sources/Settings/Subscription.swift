internal import TOMLKit

/// A feed that the user subscribed to.
package struct Subscription: Hashable, Sendable {
  /// The URL as written. It may hold a secret.
  package var url: String
  /// The URL that the user typed before the feed moved to `url`; nil if it has not moved.
  package var was: String?
  /// The name of its folder.
  package var name: String?
  /// Header fields for the origin of `typed`, by name. They are secrets.
  package var headers: [String: String] = [:]
  package var settings = FeedSettings()

  package init(url: String, name: String? = nil) {
    self.url = url
    self.name = name
  }
}

extension Subscription {
  /// The URL that the user typed. The key of the feed and the origin of its secrets follow from it,
  /// wherever the feed moves.
  package var typed: String { was ?? url }

  /// Reads the n-th `[[feed]]`, from 0.
  init(_ table: TOMLTable, in outline: TOMLOutline, number: Int) throws(SettingsError) {
    var reader = SettingsReader(table, in: outline, place: .feed(number))
    guard let url = try reader.text("url"), !url.isEmpty else {
      throw reader.error("a [[feed]] has no url; give it one, or remove the [[feed]]")
    }
    self.init(url: url, name: try reader.text("name"))
    was = try reader.text("was")
    guard was?.isEmpty != true else {
      throw reader.error(
        "was", "has to be the address of the feed before it moved; correct it, or remove the line")
    }
    headers = try reader.pairs("headers") ?? [:]
    settings = try reader.feedSettings()
    try reader.end()
  }
}
