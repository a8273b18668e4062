import CFuse
import Dispatch

/// Sends notices to the kernel, from a queue of its own and without a lock. A thread that serves a
/// request must not send a notice, and a notice must not be sent under a lock that such a thread
/// can want. Either could be a deadlock.
///
/// `@unchecked Sendable`: session and context are set once. Only the queues use the session.
final class NoticeQueue: KernelNotices, @unchecked Sendable {
  private let session: OpaquePointer
  private let context: Unmanaged<SessionContext>
  private let queue = DispatchQueue(label: "feedfs.notices")
  /// The queue for notices that wait for running reads. Such a wait can be long, so other notices
  /// have another queue.
  private let slow = DispatchQueue(label: "feedfs.notices.slow")

  /// The queue for the sizes of files that programs have open. Such a notice can wait for a read of
  /// the file's last page. The queue is concurrent, so that no other file's notice waits behind it.
  private let sizes = DispatchQueue(label: "feedfs.notices.sizes", attributes: .concurrent)

  init(_ session: OpaquePointer, _ context: Unmanaged<SessionContext>) {
    self.session = session
    self.context = context
  }

  var passesThrough: Bool {
    context.takeUnretainedValue().passthrough.isOn
  }

  func release(_ process: Int32) -> Int {
    context.takeUnretainedValue().parked.release(process)
  }

  func attributesChanged(of inode: NodeID) {
    queue.async { [self] in
      _ = fuse_lowlevel_notify_inval_inode(session, inode.number, -1, 0)
    }
  }

  /// Tells the kernel the proved size, as `KernelNotices.sizeProved` says.
  ///
  /// It is not enough that the kernel forgets the attributes, because sendfile(2) and splice(2) use
  /// the size that the kernel has. read(2) uses that size too if another notice comes while the
  /// kernel asks for the attributes, because the kernel then drops the answer (`attr_version` in
  /// fs/fuse/inode.c).
  ///
  /// So this stores one byte at the last place of the file, and the kernel takes the new size at
  /// once. The byte is not the file's own. The kernel throws the byte's page away again before any
  /// process can have the file open.
  func sizeProved(
    _ size: Int, of inode: NodeID, isGreater: Bool, then: @escaping @Sendable (Bool) -> Void
  ) {
    queue.async { [self] in
      let last = size - 1
      guard isGreater, feedfs_store_byte(session, inode.number, last, 0) == 0,
        fuse_lowlevel_notify_inval_inode(session, inode.number, last, 1) == 0
      else {
        _ = fuse_lowlevel_notify_inval_inode(session, inode.number, 0, 0)
        return then(false)
      }
      then(true)
    }
  }

  /// Tells the kernel the size of a file that grew, as `KernelNotices.sizeGrew` says.
  ///
  /// No page is thrown away. To throw one away, the kernel would wait for the reads that fill it,
  /// and these wait for this notice. The kernel takes the size first (`fuse_notify_store` in
  /// fs/fuse/dev.c), and then locks the last page for the byte, which is the file's own. So no
  /// program ever sees a wrong byte. Only a read of the last page can hold up this notice, and such
  /// a read waits for no notice (`EntryReader`).
  func sizeGrew(
    to size: Int, last: UInt8, of inode: NodeID, then: @escaping @Sendable (Bool) -> Void
  ) {
    sizes.async { [self] in
      then(feedfs_store_byte(session, inode.number, size - 1, last) == 0)
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
