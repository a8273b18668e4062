/// The identity of a file or directory for the kernel.
package struct Inode: Hashable, Sendable {
  package static let root = Inode(number: 1)

  package let number: UInt64

  package init(number: UInt64) {
    self.number = number
  }
}
