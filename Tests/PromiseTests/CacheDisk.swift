import Glibc
import TestSupport

/// A disk of its own for the cache of a feed, in memory, so that it can be seen what is kept on it.
final class CacheDisk: Sendable {
  private let path: String

  /// - Parameter megabytes: its size.
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

  /// Bytes of all files, also of those that have lost their names and that somebody still has open.
  var usedBytes: Int {
    var status = statvfs()
    guard statvfs(path, &status) == 0 else { return .max }
    return Int((status.f_blocks - status.f_bfree) * status.f_frsize)
  }

  /// Bytes of files without a name that `process` still has mapped: a few of the last that it read.
  static func bytes(mappedBy process: ChildProcess) -> Int {
    contents(of: "/proc/\(process.pid)/maps").split(separator: "\n").reduce(0) { sum, line in
      guard line.hasSuffix(".data (deleted)"), let range = line.split(separator: " ").first else {
        return sum
      }
      let ends = range.split(separator: "-").compactMap { Int($0, radix: 16) }
      return ends.count == 2 ? sum + ends[1] - ends[0] : sum
    }
  }

  /// Takes the names of all files of bytes away.
  func removeData() throws {
    let found = try ChildProcess.run(["find", path, "-name", "*.data", "-delete"])
    guard found.status == 0 else { throw TestToolError("not removed: \(found.err)") }
  }

  /// The files of bytes.
  func data() throws -> [String] {
    try ChildProcess.run(["find", path, "-name", "*.data"]).out.split(separator: "\n")
      .map(String.init)
  }
}

/// Takes away the disk of a cache, and what the folder of its feed could not be rid of while it was there.
func takeAwayDisk(at path: String) {
  umount2(path, Int32(MNT_DETACH))
  rmdir(path)
  rmdir(String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.endIndex)))
}
