import CFuse
import Glibc
package import SystemPackage

/// A mount. `init` makes the mount, and it is gone when `run` returns.
///
/// `@unchecked Sendable`: the session pointer is set once. libfuse allows notices, `detach` and the
/// loop on different threads.
package final class FuseSession: @unchecked Sendable {
  /// The number of libfuse's threads. No thread ever waits for the network, so a thread for each
  /// core is enough. More threads only wake each other up.
  private static let threads = UInt32(min(max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 2), 4))
  /// Bytes of the largest read request. Linux reads ahead in windows of 128 KiB, and asks for each
  /// window in requests of this size. A request gets its answer only when all its bytes have come.
  /// So a reader that wants the first bytes of a window waits for 64 KiB and not for 128.
  package static let maxRead = 64 << 10

  private let session: OpaquePointer
  package let notices: any KernelNotices
  private let watchdog: Watchdog

  /// Mounts `fileSystem` at `mountPoint`. The kernel sends requests from now on, and `run` answers
  /// them.
  ///
  /// No other thread should open files during this call. Only then does the FUSE device get a lower
  /// descriptor number than the socket to the helper of `auto_unmount`. If the daemon is killed,
  /// the kernel closes the lower number first, so the helper finds the mount dead.
  ///
  /// - Parameters:
  ///   - options: mount options of mount.fuse3(8).
  ///   - passthrough: whether the kernel is allowed to read files by itself, if it can and the file
  ///     system permits it. Only privileged processes can use passthrough, so other processes do
  ///     not ask for it.
  ///   - timeout: returns the longest time that an answer is allowed to take at present.
  ///   - overdue: receives each request that waits longer than `timeout` says, repeatedly while it
  ///     waits. It is called on a thread of its own.
  package init(
    _ fileSystem: any ReadOnlyFileSystem, at mountPoint: FilePath, options: [String],
    passthrough: Bool, timeout: @escaping @Sendable () -> Duration,
    overdue: @escaping @Sendable (OverdueRequest) -> Void
  ) throws(FuseError) {
    let context = Unmanaged.passRetained(SessionContext(fileSystem))
    var table = operations()
    let allOptions = (options + ["max_read=\(Self.maxRead)"]).joined(separator: ",")
    let arguments = ["feedfs", "-o", allOptions]
    let made = withCStrings(arguments) { count, pointers in
      feedfs_session_new(count, pointers, &table, context.toOpaque())
    }
    guard let made else {
      context.release()
      throw .options(allOptions)
    }
    guard fuse_session_mount(made, mountPoint.string) == 0 else {
      let error = Errno(rawValue: Glibc.errno)
      fuse_session_destroy(made)
      context.release()
      throw .mount(mountPoint.string, error)
    }
    if passthrough, geteuid() == 0 { context.takeUnretainedValue().passthrough.ask(of: made) }
    session = made
    notices = NoticeQueue(made, context)
    watchdog = Watchdog(
      over: context.takeUnretainedValue().parked, timeout: timeout, tell: overdue)
  }

  /// Answers the kernel's requests, and blocks until the mount is taken down.
  package func run() {
    let config = fuse_loop_cfg_create()
    defer { fuse_loop_cfg_destroy(config) }
    fuse_loop_cfg_set_max_threads(config, Self.threads)
    fuse_loop_cfg_set_idle_threads(config, Self.threads)
    fuse_loop_cfg_set_clone_fd(config, 0)
    _ = feedfs_session_loop_mt(session, config)
  }

  /// Stops answering the kernel. The mount stays in the system's tree of mounts.
  package func leave() {
    fuse_session_exit(session)
  }

  /// Takes the mount out of the system's tree of mounts, even while programs use it.
  package func detach() {
    // The exit must come first. Otherwise a worker finds the device closed and complains on stderr.
    // The end of the loop can then cancel that worker while it has the lock of stderr.
    fuse_session_exit(session)
    fuse_session_unmount(session)
  }
}

/// Calls `body` with a C array of the strings. `body` is allowed to change the array.
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

/// The reason why there is no mount.
package enum FuseError: Error, Sendable {
  /// libfuse refused the options.
  case options(String)
  /// The kernel or fusermount3 refused the mount. libfuse or fusermount3 has shown the reason to
  /// the user.
  case mount(String, Errno)
}
