import Glibc
import TestSupport

/// A disk for the cache of a feed that can be stopped: then it answers nothing, and callers wait
/// until it goes on. A file system on a loop device, whose file `DiskServer` serves.
final class StoppedDisk: Sendable {
  static let isThere = DiskServer.isThere && isInstalled("mkfs.ext4")

  private let server: DiskServer
  private let path: String

  init(for feed: MountedFeed) throws {
    path = feed.cacheDirectory
    mkdir(path, 0o700)
    server = try DiskServer(at: feed.folder + "/served", bytes: 128 << 20)
    try Self.run("mkfs.ext4", "-q", "-F", server.file)
    try Self.run("mount", "-o", "loop", server.file, path)
    chmod(path, 0o700)
  }

  deinit {
    goOn()
    takeAwayDisk(at: path)
    server.end()
  }

  /// Stops all answers of the disk.
  func stop() {
    server.process.freeze()
  }

  func goOn() {
    server.process.signal(SIGCONT)
  }

  /// Writes all dirty data to the disk.
  func flush() throws {
    try Self.run("sync", "-f", path)
  }

  /// Drops `file` from the page cache; returns whether all of it is gone. A mapping keeps its pages
  /// there.
  static func drop(_ file: String) -> Bool {
    let descriptor = open(file, O_RDONLY | O_CLOEXEC)
    defer { close(descriptor) }
    posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
    var status = stat()
    guard fstat(descriptor, &status) == 0,
      let start = mmap(nil, status.st_size, PROT_READ, MAP_SHARED, descriptor, 0),
      start != MAP_FAILED
    else { return false }
    defer { munmap(start, status.st_size) }
    var pages = [UInt8](repeating: 1, count: (status.st_size + 4095) / 4096)
    return mincore(start, status.st_size, &pages) == 0 && pages.allSatisfy { $0 & 1 == 0 }
  }

  private static func run(_ command: String...) throws {
    let outcome = try ChildProcess.run(command, timeout: .seconds(30))
    guard outcome.status == 0 else {
      throw TestToolError("\(command.joined(separator: " ")): \(outcome.err)")
    }
  }
}
