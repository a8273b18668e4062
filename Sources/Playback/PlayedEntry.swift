/// One entry as a player has it.
package struct PlayedEntry: Hashable, Sendable {
  /// The identity of an entry, wherever its feed is mounted. It holds no secret: address and id
  /// come as the mount shows them, so they identify an entry only together with the number.
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
  /// The absolute path.
  package let path: String
  /// The title in one line, without anything that could steer a terminal.
  package let title: String
  /// The duration in seconds, if the feed states it.
  package let duration: Double?

  package init(key: Key, path: String, title: String, duration: Double?) {
    self.key = key
    self.path = path
    self.title = title
    self.duration = duration
  }

  /// The file name: "0003.mp4".
  var name: String {
    path.split(separator: "/").last.map(String.init) ?? path
  }
}
