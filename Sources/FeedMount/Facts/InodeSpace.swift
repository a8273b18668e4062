import Catalog
import FeedReading
import Fuse

/// The range of one feed's inodes among those of its mount.
///
/// A feed knows only its own numbers: `ReservedInode`s, and the numbers that its catalog has given.
/// A single feed has the whole mount. Each of several feeds has a range of its own, which follows
/// from the feed's key. So no inode changes when another feed comes or goes.
///
/// ```
/// node   = slot << 32 | number
/// number = what << 28 | …
/// ```
struct InodeSpace: Hashable, Sendable {
  /// The whole mount.
  static let whole = InodeSpace(slot: 0)

  /// The number of the range, from 0 to 2³¹ - 1. 0 is the whole mount.
  let slot: UInt64

  init(slot: UInt64) {
    self.slot = slot
  }

  /// Returns the range of one of several feeds. If another feed has this range already, the caller
  /// must try `next`.
  init(of key: FeedKey) {
    slot = max(1, key.number & 0x7fff_ffff)
  }

  /// Returns the range of one of several feeds, with a number that is not in `taken`. Adds the
  /// number to `taken`.
  init(of key: FeedKey, besides taken: inout Set<UInt64>) {
    var space = InodeSpace(of: key)
    while !taken.insert(space.slot).inserted { space = space.next }
    self = space
  }

  /// The range to try if another feed has this one.
  var next: InodeSpace {
    InodeSpace(slot: slot % 0x7fff_ffff + 1)
  }

  /// Returns the node of the feed's own `number`.
  func node(_ number: UInt64) -> NodeID {
    NodeID(number: slot << 32 | number)
  }

  /// Returns the feed's own number of a node in its range.
  func number(of node: NodeID) -> UInt64 {
    node.number & 0xffff_ffff
  }

  /// Returns the number of the range to which a node belongs.
  static func slot(of node: NodeID) -> UInt64 {
    node.number >> 32
  }

  /// The folder of the feed, as the kernel knows it.
  var root: NodeID { node(ReservedInode.root) }
}
