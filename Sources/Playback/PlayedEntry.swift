/// One entry of a feed, with the path and the title that a player gets.
package struct PlayedEntry: Hashable, Sendable {
  /// The identity of an entry, which does not depend on where its feed is mounted. It contains no
  /// secret, because it has the address and the id as the mount shows them. Two entries can show
  /// the same id, so the number is part of the identity.
  package struct Key: Hashable, Codable, Sendable {
    package let feed: String
    package let number: Int
    package let id: String
  }

  package let key: Key
  /// The absolute path.
  package let path: String
  /// The title in one line, without characters that could control a terminal.
  package let title: String
  /// The duration in seconds, if the feed states it.
  package let duration: Double?

  /// The file name: "0003.mp4".
  var name: String {
    path.split(separator: "/").last.map(String.init) ?? path
  }
}
