/// The identity of a file or directory in the mount, and its inode number: less than 2⁶³.
package struct NodeID: Hashable, Sendable {
  package static let root = NodeID(number: 1)

  package let number: UInt64

  package init(number: UInt64) {
    self.number = number
  }
}
