import Blocks
import FeedReading
import Storage
import SystemPackage

/// The media of a feed's web pages, saved on the disk, so that no page is asked again after a
/// restart.
///
/// The addresses and header fields of media can contain secret tokens. So they are saved only in
/// this file, which has mode 0600. A file that is damaged, or made for another choice of the user,
/// counts as empty. Safe from any thread; each call blocks on the disk.
final class ResolvedPages: Sendable {
  struct Answer: Hashable, Codable, Sendable {
    let media: PageMedia
    /// The time when the addresses expire, in seconds since 1970.
    let until: Int
  }

  private struct Contents: Codable, Sendable {
    let format: Int
    let choice: String
    let pages: [String: Answer]
  }

  private static let format = 1

  private let file: SavedValue<Contents>
  /// A fingerprint of the resolver and of the user's choice of formats. Answers that were saved
  /// with another fingerprint are of no use.
  private let choice: String

  /// - Parameter resolver: the program with its arguments; empty if feedfs reads the web pages
  ///   itself.
  init(in folder: FilePath, on disk: Disk, resolver: [String], media: MediaChoice) {
    file = SavedValue(in: folder, name: "resolved", as: .json(Self.format), on: disk)
    choice =
      Fingerprint(
        of: resolver.joined(separator: "\n"), "\(media.audio)",
        media.maxHeight.map(String.init) ?? "",
        (media.prefer ?? []).joined(separator: ",") + (media.streams ? "" : " off")
          + media.languages.map { " " + $0 }.joined()
      ).description
  }

  /// Returns the saved answers, by the addresses of their pages; none if the file cannot be read.
  func read() -> [String: Answer] {
    guard let contents = file.read(), contents.choice == choice else { return [:] }
    return contents.pages
  }

  /// Replaces the answers on the disk. If they cannot be written, the pages are asked again after a
  /// restart.
  func write(_ pages: [String: Answer]) {
    file.write(Contents(format: Self.format, choice: choice, pages: pages))
  }
}
