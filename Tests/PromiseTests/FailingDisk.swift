import Foundation
import Glibc
import TestSupport

/// A disk for the cache of a feed that loses written bytes: a file system in an image on a tmpfs
/// that may be smaller than the image claims. Writes succeed; the flush fails.
final class FailingDisk: Sendable {
  private let memory: String
  private let path: String

  /// - Parameter room: bytes that the disk takes beyond the empty file system.
  init(for feed: MountedFeed, _ kind: PowerDisk.FileSystem, room: Int) throws {
    memory = feed.folder + "/memory"
    path = feed.cacheDirectory
    mkdir(memory, 0o700)
    mkdir(path, 0o700)
    try Self.run("mount", "-t", "tmpfs", "-o", "size=200m", "tmpfs", memory)
    let image = memory + "/disk"
    try Self.run("truncate", "-s", "400M", image)
    try Self.run("mkfs.\(kind.rawValue)", "-q", image)
    try Self.run("mount", "-o", "loop", image, path)
    chmod(path, 0o700)
    try Self.run("sync", "-f", path)
    var status = statvfs()
    guard statvfs(memory, &status) == 0 else { throw TestToolError("no memory") }
    let used = Int(status.f_blocks - status.f_bfree) * Int(status.f_frsize)
    try Self.run("mount", "-o", "remount,size=\(used + room)", memory)
  }

  deinit {
    takeAwayDisk(at: path)
    umount2(memory, Int32(MNT_DETACH))
  }

  /// Lets the disk take everything again.
  func mend() throws {
    try Self.run("mount", "-o", "remount,size=300m", memory)
  }

  /// Lets the kernel forget what it has in memory of the cache's bytes, so that the next read gets
  /// those of the disk. Bytes that are on their way to it stay.
  func forgetPages() throws {
    for name in try FileManager.default.subpathsOfDirectory(atPath: path)
    where name.hasSuffix(".data") {
      let file = open(path + "/" + name, O_RDONLY | O_CLOEXEC)
      guard file >= 0 else { continue }
      posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED)
      close(file)
    }
  }

  private static func run(_ command: String...) throws {
    let outcome = try ChildProcess.run(command, timeout: .seconds(30))
    guard outcome.status == 0 else {
      throw TestToolError("\(command.joined(separator: " ")): \(outcome.err)")
    }
  }
}
