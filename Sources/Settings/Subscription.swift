internal import TOMLKit

/// A feed that the user subscribed to.
package struct Subscription: Hashable, Sendable {
  /// The URL as written. It may hold a secret.
  package var url: String
  /// The name of its folder.
  package var name: String?
  /// Header fields for its origin, by name. They are secrets.
  package var headers: [String: String] = [:]
  package var settings = FeedSettings()

  package init(url: String, name: String? = nil) {
    self.url = url
    self.name = name
  }
}

extension Subscription {
  /// Reads the n-th `[[feed]]`, from 0.
  init(_ table: TOMLTable, in outline: TOMLOutline, number: Int) throws(SettingsError) {
    var reader = SettingsReader(table, in: outline, place: .feed(number))
    guard let url = try reader.text("url"), !url.isEmpty else {
      throw reader.error("a [[feed]] has no url; give it one, or take it out")
    }
    self.init(url: url, name: try reader.text("name"))
    headers = try reader.pairs("headers") ?? [:]
    settings = try reader.feedSettings()
    try reader.end()
  }
}
