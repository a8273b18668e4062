/// The identity of a file or directory for the kernel, and its inode number for everybody else.
package struct NodeID: Hashable, Sendable {
  package static let root = NodeID(number: 1)

  package let number: UInt64

  package init(number: UInt64) {
    self.number = number
  }
}
