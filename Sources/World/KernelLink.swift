package import Fuse
import Locks

/// Passes a mount's notices on to the kernel. Ignores notices before `attach`, because the kernel
/// knows nothing of the mount yet.
///
/// Safe from any thread.
package final class KernelLink: KernelNotices {
  private let session = Locked<(any KernelNotices)?>(nil)

  package init() {}

  /// Sends all notices to `session` from now on.
  package func attach(_ session: any KernelNotices) {
    self.session.withLock { $0 = session }
  }

  package var passesThrough: Bool {
    current?.passesThrough ?? false
  }

  package func nameChanged(_ name: String, in directory: NodeID) {
    current?.nameChanged(name, in: directory)
  }

  package func attributesChanged(of inode: NodeID) {
    current?.attributesChanged(of: inode)
  }

  package func contentsChanged(of inode: NodeID) {
    current?.contentsChanged(of: inode)
  }

  package func sizeProved(
    _ size: Int, of inode: NodeID, isGreater: Bool, then: @escaping @Sendable (Bool) -> Void
  ) {
    guard let current else { return then(true) }
    current.sizeProved(size, of: inode, isGreater: isGreater, then: then)
  }

  package func sizeGrew(
    to size: Int, last: UInt8, of inode: NodeID, then: @escaping @Sendable (Bool) -> Void
  ) {
    guard let current else { return then(true) }
    current.sizeGrew(to: size, last: last, of: inode, then: then)
  }

  package func release(_ process: Int32) -> Int {
    current?.release(process) ?? 0
  }

  private var current: (any KernelNotices)? {
    session.withLock { $0 }
  }
}
