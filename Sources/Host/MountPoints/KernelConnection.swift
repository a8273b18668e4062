import Glibc
import SystemPackage

/// The kernel's side of a mount. It exists even if the daemon is dead.
///
/// Linux shows it as a folder below `/sys/fs/fuse/connections`, if the file system fusectl is
/// mounted there. The folder is named by the minor number of the mount's device
/// (Documentation/filesystems/fuse.rst). If fusectl is not mounted there, only root can reach the
/// folder: see `ownView`.
struct KernelConnection {
  let device: Int

  /// Ends all current and future requests with an error.
  func abort() {
    for folder in [try? Self.shown(), Self.ownView()] {
      guard let folder else { continue }
      let control = openat(folder.rawValue, "\(device)/abort", O_WRONLY | O_CLOEXEC)
      try? folder.close()
      guard control >= 0 else { continue }
      let file = FileDescriptor(rawValue: control)
      if (try? file.closeAfter { try file.writeAll("1".utf8) }) != nil { return }
    }
  }

  private static func shown() throws -> FileDescriptor {
    try FileDescriptor.open(
      "/sys/fs/fuse/connections", .readOnly, options: [.directory, .closeOnExec])
  }

  /// Mounts fusectl once more, but nowhere in the tree. The mount ends when its descriptor is
  /// closed. Returns nil if this process is not allowed to do that.
  private static func ownView() -> FileDescriptor? {
    let context = fsopen("fusectl", UInt32(FSOPEN_CLOEXEC))
    guard context >= 0 else { return nil }
    defer { close(context) }
    guard fsconfig(context, FSCONFIG_CMD_CREATE.rawValue, nil, nil, 0) == 0 else { return nil }
    let view = fsmount(context, UInt32(FSMOUNT_CLOEXEC), 0)
    return view >= 0 ? FileDescriptor(rawValue: view) : nil
  }
}
