import Glibc
import TestSupport

/// A disk for the cache of a feed that can be stopped: then it answers nothing, and callers wait
/// until it goes on. A file system on a loop device, whose file `Tests/Disk/disk.py` serves.
final class StoppedDisk: Sendable {
  static let isThere =
    getuid() == 0 && access("/dev/loop-control", F_OK) == 0 && canMount && isInstalled("python3")
    && isInstalled("mkfs.ext4")

  private let server: ChildProcess
  private let served: String
  private let path: String

  init(for feed: MountedFeed) throws {
    served = feed.folder + "/served"
    path = feed.cacheDirectory
    mkdir(served, 0o700)
    mkdir(path, 0o700)
    let program = "/" + #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
    server = try ChildProcess(
      ["python3", program + "/Disk/disk.py", served, "\(128 << 20)"], keepsInputOpen: true)
    guard server.output.wait(timeout: .seconds(20), until: { $0.contains("ready") }) else {
      throw TestToolError("no disk: \(server.errors.text)")
    }
    try Self.run("mkfs.ext4", "-q", "-F", served + "/disk")
    try Self.run("mount", "-o", "loop", served + "/disk", path)
    chmod(path, 0o700)
  }

  deinit {
    goOn()
    takeAwayDisk(at: path)
    umount2(served, Int32(MNT_DETACH))
    server.closeInput()
    _ = server.wait(timeout: .seconds(10))
    rmdir(served)
  }

  /// Stops all answers of the disk.
  func stop() {
    server.freeze()
  }

  func goOn() {
    server.signal(SIGCONT)
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
