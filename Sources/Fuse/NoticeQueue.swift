import CFuse
import Dispatch

/// Tells the kernel what has changed, from a queue of its own and with no lock held: a notice from a
/// thread that serves a request, or under a lock that one may want, is a deadlock.
///
/// `@unchecked Sendable`: the session pointer is set once, and used on the queue only.
final class NoticeQueue: @unchecked Sendable {
  private let session: OpaquePointer
  private let queue = DispatchQueue(label: "feedfs.notices")

  init(_ session: OpaquePointer) {
    self.session = session
  }

  func attributesChanged(of inode: NodeID, then: @escaping @Sendable () -> Void) {
    queue.async { [self] in
      _ = fuse_lowlevel_notify_inval_inode(session, inode.number, -1, 0)
      then()
    }
  }

  func nameChanged(_ name: String, in directory: NodeID) {
    queue.async { [self] in
      _ = fuse_lowlevel_notify_inval_entry(session, directory.number, name, name.utf8.count)
    }
  }
}
