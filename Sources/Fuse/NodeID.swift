/// The identity of a file or directory in the mount. It is also the inode number, and less than
/// 2⁶³.
package struct NodeID: Hashable, Sendable {
  package static let root = NodeID(number: 1)

  package let number: UInt64

  package init(number: UInt64) {
    self.number = number
  }
}

/// The kernel's name for a file or directory.
///
/// ```
/// bit 63      1: opens pass through (`Passthrough`)
/// bits 0…62   the `NodeID`
/// ``` The kernel reads all descriptors of one node in the same way: through the daemon, or by
/// passthrough. So a file that becomes complete while it is open needs a second node. Only the
/// kernel sees two nodes, because both have the same inode number.
struct KernelNode: Hashable, Sendable {
  private static let passthroughBit: UInt64 = 1 << 63

  let number: UInt64

  init(number: UInt64) {
    self.number = number
  }

  init(_ node: NodeID, passesThrough: Bool) {
    number = node.number | (passesThrough ? Self.passthroughBit : 0)
  }

  var node: NodeID {
    NodeID(number: number & ~Self.passthroughBit)
  }

  var passesThrough: Bool {
    number & Self.passthroughBit != 0
  }
}

extension NodeID {
  /// Creates the identity from a node number of the kernel (`KernelNode`).
  init(kernel number: UInt64) {
    self = KernelNode(number: number).node
  }
}
