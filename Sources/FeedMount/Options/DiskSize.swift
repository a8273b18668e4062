import Glibc
package import SystemPackage

/// The size of a disk, for limits that the user states as a share of it.
package enum DiskSize {
  /// Returns the size in bytes of the file system of `path`, or of its nearest parent that exists.
  /// Returns 0 if the size cannot be learned.
  package static func total(of path: FilePath) -> Int {
    var path = path
    var disk = statvfs()
    while statvfs(path.string, &disk) != 0 {
      guard errno == ENOENT, path.removeLastComponent() else { return 0 }
    }
    return Int(disk.f_blocks) * Int(disk.f_frsize)
  }
}
