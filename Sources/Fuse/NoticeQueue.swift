import CFuse
import Dispatch

/// Sends notices to the kernel, from a queue of its own and with no lock held. A notice from a
/// thread that serves a request, or under a lock that such a thread may want, is a deadlock.
///
/// `@unchecked Sendable`: the session pointer is set once, and used on the queues only.
final class NoticeQueue: @unchecked Sendable {
  private let session: OpaquePointer
  private let queue = DispatchQueue(label: "feedfs.notices")
  /// The queue for notices that wait for running reads, which may take long: no other notice should
  /// wait for those.
  private let slow = DispatchQueue(label: "feedfs.notices.slow")

  init(_ session: OpaquePointer) {
    self.session = session
  }

  func attributesChanged(of inode: NodeID) {
    queue.async { [self] in
      _ = fuse_lowlevel_notify_inval_inode(session, inode.number, -1, 0)
    }
  }

  /// As `KernelNotices.sizeProved`.
  ///
  /// Forgotten attributes are not enough: sendfile(2) and splice(2) go by the size that the kernel
  /// has. So does read(2) if the kernel drops the answer to its question because another notice
  /// came meanwhile (`attr_version` in fs/fuse/inode.c). A stored byte makes the file as long as it
  /// reaches, at once. That byte is not the file's: its page is thrown away again before any
  /// process can have the file open.
  func sizeProved(
    _ size: Int, of inode: NodeID, isGreater: Bool, then: @escaping @Sendable (Bool) -> Void
  ) {
    queue.async { [self] in
      let last = size - 1
      guard isGreater, feedfs_store_byte(session, inode.number, last) == 0,
        fuse_lowlevel_notify_inval_inode(session, inode.number, last, 1) == 0
      else {
        _ = fuse_lowlevel_notify_inval_inode(session, inode.number, 0, 0)
        return then(false)
      }
      then(true)
    }
  }

  /// Makes the kernel throw away its cached bytes of the inode.
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
