import Blocks
import Glibc
package import SystemPackage

/// Tells where the cache directory is now. The user can have moved it since it was opened.
extension CacheDirectory {
  /// The name of the feed's folder.
  package var name: String {
    Fingerprint(of: feedKey).description
  }

  /// The cache directory of all feeds; nil if the feed's folder was removed.
  package var root: FilePath? {
    place?.removingLastComponent()
  }

  /// The present path of the feed's folder; nil if the folder was removed.
  package var place: FilePath? {
    var place: FilePath? = folder.path
    // A simulated disk lends no descriptor. Then this is the path at which the folder was opened.
    try? folder.file.lend { place = Self.place(of: $0, at: folder.path) }
    return place
  }

  /// Returns the present path of `directory`, which was opened at `path`; nil if it was removed.
  private static func place(of directory: FileDescriptor, at path: FilePath) -> FilePath? {
    // The kernel knows the present path of an open directory, even if it was moved
    // (proc_pid_fd(5)).
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/fd/\(directory.rawValue)", &bytes, bytes.count)
    guard count > 0 else { return path }
    let place = FilePath(
      String(decoding: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self))
    var status = stat()
    guard fstat(directory.rawValue, &status) == 0, status.st_nlink > 0 else { return nil }
    return place.isAbsolute ? place : path
  }
}
