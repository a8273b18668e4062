import Blocks
import FoundationEssentials
import Glibc
package import SystemPackage

/// Where the control socket of a mount is.
package enum ControlSocket {
  /// The socket of the mount at `mountPoint`, for the user `uid`.
  ///
  /// Its name is a hash: the path of a socket has 107 bytes at most (unix(7)).
  package static func path(of mountPoint: FilePath, uid: UInt32 = getuid()) -> FilePath {
    folder(of: uid).appending(Fingerprint(of: mountPoint.string).description.prefix(32) + ".sock")
  }

  /// Makes the directory, if it is missing; it has to be ours, and nobody else's to enter.
  static func makeFolder() throws(MountError) {
    let folder = folder(of: getuid())
    mkdir(folder.string, 0o700)
    guard access(folder.string, F_OK) == 0 else {
      throw MountError(.cannotCreate, "\(folder) cannot be made: \(Errno(rawValue: errno))")
    }
    try check()
  }

  /// Whoever else could make a socket there could answer in the place of the mount. Where nothing is
  /// there is nothing to refuse.
  package static func check() throws(MountError) {
    let folder = folder(of: getuid())
    var status = stat()
    guard lstat(folder.string, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFDIR, status.st_uid == getuid(),
      status.st_mode & 0o077 == 0
    else {
      throw MountError(.permission, "\(folder) is not ours alone; remove it, or chmod 700 it")
    }
  }

  private static func folder(of uid: UInt32) -> FilePath {
    let environment = ProcessInfo.processInfo.environment
    if uid == getuid(), let runtime = environment["XDG_RUNTIME_DIR"], runtime.hasPrefix("/") {
      return FilePath(runtime).appending("feedfs")
    }
    let own = "/run/user/\(uid)"
    if access(own, W_OK) == 0 { return FilePath(own).appending("feedfs") }
    return FilePath(environment["TMPDIR"] ?? "/tmp").appending("feedfs-\(uid)")
  }
}
