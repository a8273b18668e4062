import Glibc
import TestSupport

/// A tmpfs for the cache of one feed, whose used space can be measured.
final class CacheDisk: Sendable {
  private let path: String

  /// - Parameter megabytes: the size of the disk.
  init(for feed: MountedFeed, megabytes: Int) throws {
    path = feed.cacheDirectory
    mkdir(path, 0o700)
    guard mount("tmpfs", path, "tmpfs", 0, "size=\(megabytes)m,mode=0700") == 0 else {
      throw TestToolError("no tmpfs at \(path): \(String(cString: strerror(errno)))")
    }
  }

  deinit {
    takeAwayDisk(at: path)
  }

  /// Bytes of all files, including unlinked ones that a process still has open.
  var usedBytes: Int {
    var status = statvfs()
    guard statvfs(path, &status) == 0 else { return .max }
    return Int((status.f_blocks - status.f_bfree) * status.f_frsize)
  }

  /// Bytes of unlinked files that `process` still has mapped: a few of those it read last.
  static func bytes(mappedBy process: ChildProcess) -> Int {
    contents(of: "/proc/\(process.pid)/maps").split(separator: "\n").reduce(0) { sum, line in
      guard line.hasSuffix(".data (deleted)"), let range = line.split(separator: " ").first else {
        return sum
      }
      let ends = range.split(separator: "-").compactMap { Int($0, radix: 16) }
      return ends.count == 2 ? sum + ends[1] - ends[0] : sum
    }
  }

  /// Unlinks all data files.
  func removeData() throws {
    let found = try ChildProcess.run(["find", path, "-name", "*.data", "-delete"])
    guard found.status == 0 else { throw TestToolError("not removed: \(found.err)") }
  }

  /// The paths of all data files.
  func data() throws -> [String] {
    try ChildProcess.run(["find", path, "-name", "*.data"]).out.split(separator: "\n")
      .map(String.init)
  }
}

/// Unmounts the disk of a cache, and removes the directories that could not go while it was
/// mounted.
func takeAwayDisk(at path: String) {
  umount2(path, Int32(MNT_DETACH))
  rmdir(path)
  rmdir(String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.endIndex)))
}
