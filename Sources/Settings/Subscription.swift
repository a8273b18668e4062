internal import TOMLKit

/// A feed to which the user subscribes.
package struct Subscription: Hashable, Sendable {
  /// The URL as it is written in the file. It can contain a secret.
  package var url: String
  /// The URL that the user typed before the feed moved to `url`; nil if it has not moved.
  package var was: String?
  /// The name that the user wants for the feed's folder; nil if there is none.
  package var name: String?
  /// Header fields for requests to the origin of `typed`, by name. They are secret.
  package var headers: [String: String] = [:]
  package var settings = FeedSettings()

  package init(url: String, name: String? = nil) {
    self.url = url
    self.name = name
  }
}

extension Subscription {
  /// The URL that the user typed. The key of the feed, and the origin that gets its secrets, follow
  /// from this URL even after the feed has moved.
  package var typed: String { was ?? url }

  /// Reads the `[[feed]]` with the index `number`.
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
