import Catalog
import FeedReading
import Fuse

/// The range of one feed's inodes among those of its mount.
///
/// A feed knows only its own numbers: `ReservedInode`s, and those that its catalog gave. A single
/// feed has the mount for itself. Each of several feeds has a space of its own. The space follows
/// from the feed's key, so that no inode changes when a feed comes or goes.
///
/// ```
/// node   = slot << 32 | number
/// number = what << 28 | …
/// ```
struct InodeSpace: Hashable, Sendable {
  /// The whole mount.
  static let whole = InodeSpace(slot: 0)

  /// The number of the space, from 0 to 2³¹ - 1.
  let slot: UInt64

  init(slot: UInt64) {
    self.slot = slot
  }

  /// Returns the space of one of several feeds. If another feed has it already, take `next`.
  init(of key: FeedKey) {
    slot = max(1, key.number & 0x7fff_ffff)
  }

  /// Returns the space of one of several feeds that has no slot of `taken`, and adds its slot to
  /// them.
  init(of key: FeedKey, besides taken: inout Set<UInt64>) {
    var space = InodeSpace(of: key)
    while !taken.insert(space.slot).inserted { space = space.next }
    self = space
  }

  /// The space to try if another feed has this one.
  var next: InodeSpace {
    InodeSpace(slot: slot % 0x7fff_ffff + 1)
  }

  /// Returns the node of the feed's own `number`.
  func node(_ number: UInt64) -> NodeID {
    NodeID(number: slot << 32 | number)
  }

  /// Returns the feed's own number of a node in its space.
  func number(of node: NodeID) -> UInt64 {
    node.number & 0xffff_ffff
  }

  /// Returns the slot of a node.
  static func slot(of node: NodeID) -> UInt64 {
    node.number >> 32
  }

  /// The folder of the feed, as the kernel knows it.
  var root: NodeID { node(ReservedInode.root) }
}
