import Glibc
import TestSupport

/// A disk for the cache of a feed whose power can be cut: a file system on a loop device.
final class PowerDisk: Sendable {
  enum FileSystem: String, CaseIterable {
    case ext4, xfs

    /// Whether this machine can make such a file system.
    var isThere: Bool {
      getuid() == 0 && access("/dev/loop-control", F_OK) == 0
        && (try? ChildProcess.run(["mkfs.\(rawValue)", "-V"]))?.status == 0
    }
  }

  private let image: String
  private let path: String

  init(for feed: MountedFeed, _ kind: FileSystem) throws {
    image = feed.folder + "/disk"
    path = feed.cacheDirectory
    mkdir(path, 0o700)
    try Self.run("truncate", "-s", "400M", image)
    try Self.run("mkfs.\(kind.rawValue)", "-q", image)
    try attach()
    // mkfs opens the root directory to others; the cache is only for its owner.
    chmod(path, 0o700)
  }

  deinit {
    takeAwayDisk(at: path)
  }

  /// Cuts the power: unwritten bytes never reach the disk, not even the journal.
  func cut() throws {
    let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { close(folder) }
    var withoutLog: UInt32 = 2  // FSOP_GOING_FLAGS_NOLOGFLUSH
    let shutdown: UInt = 0x8004_587d  // FS_IOC_SHUTDOWN
    guard ioctl(folder, shutdown, &withoutLog) == 0 else {
      throw TestToolError("power not cut: \(String(cString: strerror(errno)))")
    }
  }

  /// Restores the power: only the bytes on the disk are left.
  func restore() throws {
    try Self.run("umount", path)
    try attach()
    // A process that copied the mount table meanwhile keeps the dead file system alive, and the
    // mount gets that one again.
    let isAlive = try eventually(within: .seconds(30)) {
      if mkdir(path + "/alive", 0o700) == 0 { return rmdir(path + "/alive") == 0 }
      try Self.run("umount", path)
      try attach()
      return false
    }
    guard isAlive else { throw TestToolError("the power does not come back") }
  }

  private func attach() throws {
    try Self.run("mount", "-o", "loop", image, path)
  }

  private static func run(_ command: String...) throws {
    let outcome = try ChildProcess.run(command, timeout: .seconds(30))
    guard outcome.status == 0 else {
      throw TestToolError("\(command.joined(separator: " ")): \(outcome.err)")
    }
  }
}
