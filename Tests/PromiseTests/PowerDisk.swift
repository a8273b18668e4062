import Glibc
import TestSupport

/// A disk of its own for the cache of a feed, whose power can be cut: a file system on a loop device.
final class PowerDisk: Sendable {
  enum FileSystem: String, CaseIterable {
    case ext4, xfs

    /// Whether this machine can make one.
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
    // lost+found is nobody's who has the cache.
    chmod(path, 0o700)
  }

  deinit {
    takeAwayDisk(at: path)
  }

  /// Nothing that is not on the disk gets there any more, not the journal either.
  func cut() throws {
    let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { close(folder) }
    var withoutLog: UInt32 = 2  // FSOP_GOING_FLAGS_NOLOGFLUSH
    let shutdown: UInt = 0x8004_587d  // FS_IOC_SHUTDOWN
    guard ioctl(folder, shutdown, &withoutLog) == 0 else {
      throw TestToolError("power not cut: \(String(cString: strerror(errno)))")
    }
  }

  /// The power is back: what the disk has is what there is.
  func restore() throws {
    try Self.run("umount", path)
    try attach()
    // Whoever has copied the table of mounts meanwhile keeps the dead file system, which is the one
    // that is mounted then.
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
