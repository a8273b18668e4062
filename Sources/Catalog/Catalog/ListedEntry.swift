/// The part of an entry that a directory listing shows. A listing of ten thousand files unpacks
/// only this part of each entry.
package struct ListedEntry: Hashable, Sendable {
  package let number: Int
  /// The file's name.
  package let name: String
  package let inode: UInt64
  package let isRemoved: Bool
  /// True if the proved length comes only from a request for the size, and no reader has read a
  /// byte.
  package let isMeasured: Bool
  package let hasSubtitles: Bool
  /// The date of publication, or else the time when the entry was first seen, in seconds since
  /// 1970.
  package let modified: Int
  /// The length in bytes that the file probably has; nil if it cannot be estimated.
  package let likelyLength: Int?
  /// The length in bytes that an origin has proved; nil if no origin has.
  package let provedLength: Int?
  /// How far the user is with the entry; nil if it is new.
  package let mark: EntryMark?
}

extension Catalog {
  /// The listed entry whose file has this name.
  package func listedEntry(named name: String) -> ListedEntry? {
    guard let number = number(ofFile: name), isListed(number) else { return nil }
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
      .filter { [entries, leftOut] in !entries.isRemoved(at: $0) && !leftOut.hides($0 + 1) }
      .map { [entries] in entries.listed(at: $0) }
  }
}
