/// One entry as a player has it.
package struct PlayedEntry: Hashable, Sendable {
  /// What an entry is known by, wherever its feed is mounted. It holds no secret: address and id come as
  /// the mount shows them, so that only together with the number they are one entry's alone.
  package struct Key: Hashable, Codable, Sendable {
    package let feed: String
    package let number: Int
    package let id: String

    package init(feed: String, number: Int, id: String) {
      self.feed = feed
      self.number = number
      self.id = id
    }
  }

  package let key: Key
  /// Absolute.
  package let path: String
  /// One line, without anything that could steer a terminal.
  package let title: String
  /// Seconds, if the feed says so.
  package let duration: Double?

  package init(key: Key, path: String, title: String, duration: Double?) {
    self.key = key
    self.path = path
    self.title = title
    self.duration = duration
  }

  /// "0003.mp4".
  var name: String {
    path.split(separator: "/").last.map(String.init) ?? path
  }
}
