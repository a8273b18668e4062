import CFuse
import SystemPackage

/// A file that the kernel may read in the place of one of the mount's: from `init` to the end of the
/// last descriptor that passes through to it, each of which holds a reference.
///
/// The kernel has let go of it by the time it releases a descriptor, so its number is given up at the
/// last release, and leaves nothing behind.
///
/// `@unchecked Sendable`: all is set once; the device takes calls from any thread.
final class Backing: @unchecked Sendable {
  /// What the kernel calls it.
  let number: Int32
  private let session: OpaquePointer

  /// Nil if the kernel does not take it. `file` need not stay open.
  init?(_ file: FileDescriptor, on session: OpaquePointer) {
    self.session = session
    number = feedfs_backing_open(fuse_session_fd(session), file.rawValue)
    guard number > 0 else { return nil }
  }

  deinit {
    // Once the mount is gone there is no such device, and all numbers went with it.
    if number > 0 { _ = feedfs_backing_close(fuse_session_fd(session), UInt32(number)) }
  }
}
