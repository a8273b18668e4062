import Blocks
import FeedReading
import FoundationEssentials
import Storage

/// The media of a feed's web pages on the disk, so that a restart asks no page again.
///
/// Its addresses and header fields may hold tokens. So they are in this file alone, which has mode 0600.
/// A file that is damaged, or made for another choice of the user, counts as empty.
/// Safe from any thread; each call blocks on the disk.
final class ResolvedPages: Sendable {
  struct Answer: Hashable, Codable, Sendable {
    let media: PageMedia
    /// The time when the addresses expire, in seconds since 1970.
    let until: Int
  }

  private struct Head: Codable {
    let format: Int
  }

  private struct Contents: Codable {
    let format: Int
    let choice: String
    let pages: [String: Answer]
  }

  private static let format = 1

  private let file: SnapshotFile
  /// The resolver and the choice among its formats; an answer is of use to these alone.
  private let choice: String

  /// - Parameter resolver: the program; empty if the pages themselves are read.
  init(_ file: SnapshotFile, resolver: [String], media: MediaChoice) {
    self.file = file
    choice =
      Fingerprint(
        of: resolver.joined(separator: "\n"), "\(media.audio)",
        media.maxHeight.map(String.init) ?? "",
        (media.prefer ?? []).joined(separator: ",") + (media.streams ? "" : " off")
          + media.languages.map { " " + $0 }.joined()
      ).description
  }

  /// Returns the answers by page; none if they cannot be read.
  func read() -> [String: Answer] {
    let contents = try? file.read { bytes in
      let head = try JSONDecoder().decode(Head.self, from: Data(bytes))
      if let other = OtherFormat(head.format, known: Self.format) { throw other }
      return try JSONDecoder().decode(Contents.self, from: Data(bytes))
    }
    guard let contents = contents ?? nil, contents.choice == choice else { return [:] }
    return contents.pages
  }

  /// Replaces the answers on the disk. If the disk does not take them, pages are asked again.
  func write(_ pages: [String: Answer]) {
    let contents = Contents(format: Self.format, choice: choice, pages: pages)
    guard let document = try? JSONEncoder().encode(contents) else { return }
    try? file.write(Array(document))
  }
}
