import CLinux
import Glibc
import Quantities
package import Storage
package import SystemPackage

/// Checks whether a directory can be used as the cache.
package struct CacheCheckup: Sendable {
  private let path: FilePath
  private let minFree: FreeSpaceRule

  /// - Parameter minFree: the free space that a mount would leave on the disk.
  package init(of path: FilePath, minFree: FreeSpaceRule) {
    self.path = path
    self.minFree = minFree
  }

  /// The findings. The check leaves nothing in the directory.
  package var findings: [Finding] {
    guard access(path.string, F_OK) == 0 else {
      let parent = nearestParent
      guard access(parent.string, W_OK | X_OK) == 0 else {
        return [
          .bad(
            "cache", "\(path) cannot be made: you may not write to \(parent)",
            mend: "choose another directory with --cache-dir")
        ]
      }
      return [.ok("cache", "\(path) does not exist yet, and will be made")] + disk(of: parent)
    }
    do {
      try OwnDirectory.check(path)
    } catch {
      return [.bad("cache", error.description, mend: "choose another directory with --cache-dir")]
    }
    guard access(path.string, W_OK | X_OK) == 0 else {
      return [
        .bad(
          "cache", "you may not write to \(path) (\(Errno(rawValue: errno)))",
          mend: "`chmod u+rwx \(path)`, or choose another with --cache-dir")
      ]
    }
    return [.ok("cache", "\(path) is yours and writable")] + disk(of: path)
  }

  // MARK: Private

  private func disk(of folder: FilePath) -> [Finding] {
    [sparse(in: folder), space(of: folder)].compactMap(\.self)
  }

  private var nearestParent: FilePath {
    var parent = path.removingLastComponent()
    while !parent.isEmpty, parent != FilePath("/"), access(parent.string, F_OK) != 0 {
      parent = parent.removingLastComponent()
    }
    return parent
  }

  /// Writes only the last 64 KiB of an unlinked file of 1 MiB, looks how much space the file takes
  /// up, and then tries to free these 64 KiB.
  private func sparse(in folder: FilePath) -> Finding {
    let what = "sparse files"
    var template = Array(folder.appending(".feedfs-doctor-XXXXXX").string.utf8CString)
    let file = mkstemp(&template)
    guard file >= 0 else {
      return .bad(
        what, "no file can be made in \(folder): \(Errno(rawValue: errno))",
        mend: "choose another directory with --cache-dir")
    }
    unlink(template)
    defer { close(file) }
    let bytes = [UInt8](repeating: 1, count: 64 << 10)
    var status = stat()
    errno = ENOSPC  // a short write sets no errno, and means a full disk
    guard pwrite(file, bytes, bytes.count, (1 << 20) - bytes.count) == bytes.count,
      fsync(file) == 0, fstat(file, &status) == 0
    else {
      return .bad(
        what, "\(folder) cannot be written to: \(Errno(rawValue: errno))",
        mend: "free some space, or choose another directory with --cache-dir")
    }
    guard status.st_blocks * 512 < 1 << 19 else {
      return .warn(
        what,
        "the file system of \(folder) has none: a partly cached file takes the space of a whole one",
        mend: "choose a directory on ext4, XFS, btrfs or tmpfs with --cache-dir")
    }
    guard
      feedfs_fallocate(file, feedfs_punch_hole, (1 << 20) - bytes.count, off_t(bytes.count)) == 0
    else {
      return .warn(
        what,
        "the file system of \(folder) frees no part of a file: feedfs can only evict whole files",
        mend: "choose a directory on ext4, XFS, btrfs or tmpfs with --cache-dir")
    }
    return .ok(what, "the file system of \(folder) has them, and can free parts of a file")
  }

  private func space(of folder: FilePath) -> Finding? {
    var disk = statvfs()
    guard statvfs(folder.string, &disk) == 0 else { return nil }
    let free = Int(disk.f_bavail) * Int(disk.f_frsize)
    let least = minFree.minimum(ofDisk: Int(disk.f_blocks) * Int(disk.f_frsize))
    let words =
      "\(Quantity.bytes(free)) free, of which --min-free \(minFree.text) reserves \(Quantity.bytes(least))"
    guard free > least else {
      return .warn(
        "disk", "\(words): nothing will be cached",
        mend: "free some space, or give a lower --min-free")
    }
    return .ok("disk", words)
  }
}
