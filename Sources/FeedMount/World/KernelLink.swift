import Fuse
import NIOConcurrencyHelpers

/// The kernel of a mount, before, during and after the mount. Before the mount the kernel knows
/// nothing, so notices are dropped.
///
/// Safe from any thread.
final class KernelLink: KernelNotices {
  private let session = NIOLockedValueBox<(any KernelNotices)?>(nil)

  /// Sends all notices to `session` from now on.
  func attach(_ session: any KernelNotices) {
    self.session.withLockedValue { $0 = session }
  }

  var passesThrough: Bool {
    current?.passesThrough ?? false
  }

  func nameChanged(_ name: String, in directory: NodeID) {
    current?.nameChanged(name, in: directory)
  }

  func attributesChanged(of inode: NodeID) {
    current?.attributesChanged(of: inode)
  }

  func contentsChanged(of inode: NodeID) {
    current?.contentsChanged(of: inode)
  }

  func sizeProved(
    _ size: Int, of inode: NodeID, isGreater: Bool, then: @escaping @Sendable (Bool) -> Void
  ) {
    guard let current else { return then(true) }
    current.sizeProved(size, of: inode, isGreater: isGreater, then: then)
  }

  func sizeGrew(
    to size: Int, last: UInt8, of inode: NodeID, then: @escaping @Sendable (Bool) -> Void
  ) {
    guard let current else { return then(true) }
    current.sizeGrew(to: size, last: last, of: inode, then: then)
  }

  func release(_ process: Int32) -> Int {
    current?.release(process) ?? 0
  }

  private var current: (any KernelNotices)? {
    session.withLockedValue { $0 }
  }
}
