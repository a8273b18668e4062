import FeedReading

/// The part of an entry that a listing shows. A listing of ten thousand files reads nothing else
/// of their entries.
package struct ListedEntry: Hashable, Sendable {
  package let number: Int
  /// The file's name.
  package let name: String
  package let inode: UInt64
  package let isRemoved: Bool
  package let hasSubtitles: Bool
  /// The date of publication, else of first sight, in seconds since 1970.
  package let modified: Int
  /// The length in bytes that the feed claims, if it is credible.
  package let claimedLength: Int?
  /// The length in bytes that the origin has proved.
  package let provedLength: Int?
}

extension Catalog {
  /// The listed entry whose file has this name.
  package func listedEntry(named name: String) -> ListedEntry? {
    guard let number = FileName.number(in: name), isListed(number) else { return nil }
    let entry = entries.listed(at: number - 1)
    return entry.name == name ? entry : nil
  }

  /// The entry, removed or not, whose current version has this inode.
  package func listedEntry(inode: UInt64) -> ListedEntry? {
    number(ofInode: inode).map { entries.listed(at: $0 - 1) }
  }

  /// The listed entries with a number greater than `number`, in ascending order.
  package func listing(after number: Int) -> some Sequence<ListedEntry> {
    (min(max(0, number), shownCount)..<shownCount).lazy
      .filter { [entries] in !entries.isRemoved(at: $0) }.map { [entries] in entries.listed(at: $0)
      }
  }
}
