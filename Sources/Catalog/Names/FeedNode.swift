/// The file or folder that an inode of a mounted feed stands for.
///
/// ```
/// inode = kind << 28 | low
/// kind 0: low is a `ReservedInode`, or the inode that the catalog gave a version of an entry
/// kind 1: low is the number of the entry that a link in `by-title` leads to
/// kind 2: low is number << 6 | index of a sidecar, beside the entry
/// kind 3: the same, for the link to the sidecar in `by-title`
/// ```
package enum FeedNode: Hashable, Sendable {
  case root, control, titles
  /// The folders with links to new entries, and to started entries.
  case news, started
  /// A file that the mount makes itself.
  case document(UInt64)
  case entry(inode: UInt64)
  case titleLink(number: Int)
  case sidecar(number: Int, index: Int)
  case titleSidecar(number: Int, index: Int)

  /// The number of indexes for the sidecars of one entry. Further sidecars are not listed.
  package static let maxSidecars = 1 << indexBits

  private static let lowBits: UInt64 = 28
  private static let indexBits: UInt64 = 6

  package init?(inode: UInt64) {
    let low = inode & (1 << Self.lowBits - 1)
    let number = Int(low >> Self.indexBits)
    let index = Int(low & (1 << Self.indexBits - 1))
    switch inode >> Self.lowBits {
    case 0: self = Self.plain(low)
    case 1: self = .titleLink(number: Int(low))
    case 2: self = .sidecar(number: number, index: index)
    case 3: self = .titleSidecar(number: number, index: index)
    default: return nil
    }
  }

  package var inode: UInt64 {
    switch self {
    case .root: ReservedInode.root
    case .control: ReservedInode.control
    case .titles: ReservedInode.titles
    case .news: ReservedInode.news
    case .started: ReservedInode.started
    case .document(let inode), .entry(let inode): inode
    case .titleLink(let number): 1 << Self.lowBits | UInt64(number)
    case .sidecar(let number, let index): 2 << Self.lowBits | Self.low(number, index)
    case .titleSidecar(let number, let index): 3 << Self.lowBits | Self.low(number, index)
    }
  }

  private static func plain(_ inode: UInt64) -> FeedNode {
    switch inode {
    case ReservedInode.root: .root
    case ReservedInode.control: .control
    case ReservedInode.titles: .titles
    case ReservedInode.news: .news
    case ReservedInode.started: .started
    case ..<ReservedInode.firstOfEntries: .document(inode)
    default: .entry(inode: inode)
    }
  }

  private static func low(_ number: Int, _ index: Int) -> UInt64 {
    UInt64(number) << indexBits | UInt64(index)
  }
}

/// The inodes of a mounted feed that no entry has.
package enum ReservedInode {
  /// The root of the mount. The kernel sets this number.
  package static let root: UInt64 = 1
  package static let control: UInt64 = 2  // .feedfs
  package static let status: UInt64 = 3  // .feedfs/status.json
  package static let playlist: UInt64 = 4  // playlist.m3u8
  package static let titles: UInt64 = 5  // by-title
  package static let listing: UInt64 = 6  // .feedfs/feed.json
  package static let news: UInt64 = 7  // new
  package static let started: UInt64 = 8  // started

  /// The lowest inode that an entry can have. The unused inodes below it are for future files.
  package static let firstOfEntries: UInt64 = 16
}
