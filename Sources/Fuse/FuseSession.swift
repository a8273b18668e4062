import CFuse
import Glibc
package import SystemPackage

/// A mount: from `init`, which makes it, to the end of `run`, when it is gone.
///
/// `@unchecked Sendable`: the session pointer is set once; libfuse allows notifications, `detach` and
/// the loop from different threads.
package final class FuseSession: @unchecked Sendable {
  /// libfuse's threads: enough to use both ends of a copy; none of them ever waits for the network.
  private static let threads: UInt32 = 4

  private let session: OpaquePointer
  private let served: Unmanaged<Served>
  private let notices: NoticeQueue
  private let watchdog: Watchdog

  /// Mounts `fileSystem` at `mountPoint`; from now on the kernel asks, and `run` answers.
  ///
  /// - Parameters:
  ///   - options: mount options as of mount.fuse3(8).
  ///   - passthrough: whether the kernel may read by itself what the file system says it may, if it
  ///     can. Only privileged processes are allowed that, so others do not ask.
  ///   - patience: how long an answer may take, as things are.
  ///   - overdue: told of each request that waits for longer, on a thread of its own, again and again
  ///     as long as it does.
  package init(
    _ fileSystem: any ReadOnlyFileSystem, at mountPoint: FilePath, options: [String],
    passthrough: Bool, patience: @escaping @Sendable () -> Duration,
    overdue: @escaping @Sendable (OverdueRequest) -> Void
  ) throws(FuseError) {
    let served = Unmanaged.passRetained(Served(fileSystem))
    var table = operations()
    let arguments = ["feedfs", "-o", options.joined(separator: ",")]
    let made = withCStrings(arguments) { count, pointers in
      feedfs_session_new(count, pointers, &table, served.toOpaque())
    }
    guard let made else {
      served.release()
      throw .options(options.joined(separator: ","))
    }
    guard fuse_session_mount(made, mountPoint.string) == 0 else {
      let error = Errno(rawValue: Glibc.errno)
      fuse_session_destroy(made)
      served.release()
      throw .mount(mountPoint.string, error)
    }
    if passthrough, geteuid() == 0 { served.takeUnretainedValue().passthrough.ask(of: made) }
    self.served = served
    session = made
    notices = NoticeQueue(made)
    watchdog = Watchdog(
      over: served.takeUnretainedValue().parked, patience: patience, tell: overdue)
  }

  /// Whether the kernel reads by itself what it may; false until the loop has begun.
  package var passesThrough: Bool {
    served.takeUnretainedValue().passthrough.isOn
  }

  /// Answers the kernel until the mount is taken down; blocks.
  package func run() {
    let config = fuse_loop_cfg_create()
    defer { fuse_loop_cfg_destroy(config) }
    fuse_loop_cfg_set_max_threads(config, Self.threads)
    fuse_loop_cfg_set_idle_threads(config, Self.threads)
    fuse_loop_cfg_set_clone_fd(config, 0)
    _ = feedfs_session_loop_mt(session, config)
  }

  /// Answers no more, and leaves the tree as it is.
  package func leave() {
    fuse_session_exit(session)
  }

  /// Takes the mount out of the tree, even where it is in use.
  package func detach() {
    // First of all: a worker that finds the device closed complains on stderr, and may be cancelled
    // by the end of the loop with stderr's lock in its hands.
    fuse_session_exit(session)
    fuse_session_unmount(session)
  }

  /// The kernel forgets the attributes of `inode`, and asks again.
  package func attributesChanged(of inode: NodeID) {
    notices.attributesChanged(of: inode)
  }

  /// The kernel takes `size`, in bytes, for that of `inode`, which nobody may have open.
  ///
  /// - Parameters:
  ///   - isGreater: than all that it was ever told of it. Where it is not, the kernel can only forget what
  ///     it was told, and asks again.
  ///   - then: called on a thread of the notices, with whether it has taken it.
  package func sizeProved(
    _ size: Int, of inode: NodeID, isGreater: Bool, then: @escaping @Sendable (Bool) -> Void
  ) {
    notices.sizeProved(size, of: inode, isGreater: isGreater, then: then)
  }

  /// The kernel forgets the bytes of `inode` that it has, and reads them again.
  package func contentsChanged(of inode: NodeID) {
    notices.contentsChanged(of: inode)
  }

  /// The kernel forgets what `name` means.
  package func nameChanged(_ name: String, in directory: NodeID) {
    notices.nameChanged(name, in: directory)
  }
}

/// Calls `body` with a C array of strings that it may change.
private func withCStrings<Result>(
  _ strings: [String], _ body: (Int32, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
  var pointers = strings.map { strdup($0) } + [nil]
  defer { for pointer in pointers { free(pointer) } }
  return pointers.withUnsafeMutableBufferPointer { buffer in
    guard let start = buffer.baseAddress else { preconditionFailure("never empty") }
    return body(Int32(strings.count), start)
  }
}

/// Why there is no mount.
package enum FuseError: Error, Sendable {
  /// libfuse refused the options.
  case options(String)
  /// The kernel or fusermount3 refused the mount; what they printed has been seen by the user.
  case mount(String, Errno)
}
