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
  /// The disk below the file system, if it has a cache.
  private let server: DiskServer?

  /// - Parameter seed: the seed of a disk with a cache: a power cut also takes any bytes that were
  ///   written since the disk's last flush, and spares others that were written later. Nil: a disk
  ///   that loses nothing of all that the file system has written.
  init(for feed: MountedFeed, _ kind: FileSystem, losingUnflushed seed: Int? = nil) throws {
    path = feed.cacheDirectory
    mkdir(path, 0o700)
    server = try seed.map { seed in
      try DiskServer(at: feed.folder + "/served", bytes: 400 << 20, seed: seed)
    }
    image = server?.file ?? feed.folder + "/disk"
    if server == nil { try Self.run("truncate", "-s", "400M", image) }
    try Self.run("mkfs.\(kind.rawValue)", "-q", image)
    try attach()
    // mkfs opens the root directory to others; the cache is only for its owner.
    chmod(path, 0o700)
  }

  deinit {
    takeAwayDisk(at: path)
    server?.end()
  }

  /// Cuts the power: unwritten bytes never reach the disk, not even the journal.
  func cut() throws {
    try server?.tell(SIGUSR1, until: "cut")
    let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { if folder >= 0 { close(folder) } }
    var withoutLog: UInt32 = 2  // FSOP_GOING_FLAGS_NOLOGFLUSH
    let shutdown: UInt = 0x8004_587d  // FS_IOC_SHUTDOWN
    guard folder >= 0, ioctl(folder, shutdown, &withoutLog) == 0 else {
      // A file system whose disk fails may have given up by itself, and then opens nothing.
      if server != nil, errno == EIO { return }
      throw TestToolError("power not cut: \(String(cString: strerror(errno)))")
    }
  }

  /// Restores the power: only the bytes on the disk are left.
  func restore() throws {
    try Self.run("umount", path)
    try server?.tell(SIGUSR2, until: "restored")
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
