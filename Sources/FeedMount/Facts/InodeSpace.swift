import Feeds
import Fuse

/// Where the inodes of one feed lie among those of its mount.
///
/// A feed knows its own numbers: `ReservedInode`s, and those that its catalog gave. One feed alone has
/// the mount for itself; each of several has a space of its own, which follows from its key, so that
/// no inode changes when a feed comes or goes.
///
/// ```
/// node   = slot << 32 | number
/// number = what << 28 | …
/// ```
struct InodeSpace: Hashable, Sendable {
  /// The whole mount.
  static let whole = InodeSpace(slot: 0)

  /// 0 to 2³¹ - 1.
  let slot: UInt64

  init(slot: UInt64) {
    self.slot = slot
  }

  /// Where a feed among several lies, unless another lies there.
  init(of key: FeedKey) {
    slot = max(1, key.number & 0x7fff_ffff)
  }

  /// Where it lies then.
  var next: InodeSpace {
    InodeSpace(slot: slot % 0x7fff_ffff + 1)
  }

  /// The node of the feed's own `number`.
  func node(_ number: UInt64) -> NodeID {
    NodeID(number: slot << 32 | number)
  }

  /// The feed's own number of a node in its space.
  func number(of node: NodeID) -> UInt64 {
    node.number & 0xffff_ffff
  }

  /// The slot that a node lies in.
  static func slot(of node: NodeID) -> UInt64 {
    node.number >> 32
  }

  /// What a feed's folder is to the kernel.
  var root: NodeID { node(ReservedInode.root) }
}
