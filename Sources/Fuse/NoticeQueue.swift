import CFuse
import Dispatch

/// Tells the kernel what has changed, from a queue of its own and with no lock held: a notice from a
/// thread that serves a request, or under a lock that one may want, is a deadlock.
///
/// `@unchecked Sendable`: the session pointer is set once, and used on the queues only.
final class NoticeQueue: @unchecked Sendable {
  private let session: OpaquePointer
  private let queue = DispatchQueue(label: "feedfs.notices")
  /// Of what waits for reads that are under way, which may be long; nobody else is to wait for them.
  private let slow = DispatchQueue(label: "feedfs.notices.slow")

  init(_ session: OpaquePointer) {
    self.session = session
  }

  func attributesChanged(of inode: NodeID, then: @escaping @Sendable () -> Void) {
    queue.async { [self] in
      _ = fuse_lowlevel_notify_inval_inode(session, inode.number, -1, 0)
      then()
    }
  }

  /// The kernel throws away what it keeps of the inode's bytes.
  func contentsChanged(of inode: NodeID) {
    slow.async { [self] in
      _ = fuse_lowlevel_notify_inval_inode(session, inode.number, 0, 0)
    }
  }

  func nameChanged(_ name: String, in directory: NodeID) {
    queue.async { [self] in
      _ = fuse_lowlevel_notify_inval_entry(session, directory.number, name, name.utf8.count)
    }
  }
}
