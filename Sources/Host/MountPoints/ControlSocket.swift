import Blocks
import FoundationEssentials
import Glibc
package import SystemPackage

/// The path of a mount's control socket.
///
/// The socket is in `feedfs/` below the runtime directory. Without a runtime directory, it is in
/// this user's folder in the temporary directory. Commands look in all these places, because the
/// environment of a mount that the system made at boot differs from the environment of a command.
package enum ControlSocket {
  /// Returns the paths where a mount of this user at `mountPoint` can have its socket. The usual
  /// path comes first. Folders that other users can use are left out.
  ///
  /// The file's name is a hash, because the path of a socket has 107 bytes at most (unix(7)).
  package static func places(of mountPoint: FilePath) -> [FilePath] {
    let name = Fingerprint(of: mountPoint.string).description.prefix(32) + ".sock"
    let usable = folders.filter { (try? check($0)) != nil }
    return usable.map { $0.appending(String(name)) }
  }

  /// Returns the path for the socket of a mount at `mountPoint`. Makes the directory for it.
  package static func makePlace(of mountPoint: FilePath) throws(CommandError) -> FilePath {
    let name = Fingerprint(of: mountPoint.string).description.prefix(32) + ".sock"
    var failure = CommandError(
      .cannotCreate, "no directory can hold the control socket; set XDG_RUNTIME_DIR")
    for folder in folders {
      if let above = variable("XDG_RUNTIME_DIR"), folder.removingLastComponent() == above {
        mkdir(above.string, 0o700)
      }
      mkdir(folder.string, 0o700)
      guard access(folder.string, F_OK) == 0 else {
        failure = CommandError(.cannotCreate, "\(folder) cannot be made: \(Errno(rawValue: errno))")
        continue
      }
      try check(folder)
      return folder.appending(String(name))
    }
    throw failure
  }

  /// Throws if another user could make a socket in the usual directory, and answer in place of the
  /// mount. A missing directory is no error.
  package static func check() throws(CommandError) {
    guard let usual = folders.first else { return }
    try check(usual)
  }

  private static func check(_ folder: FilePath) throws(CommandError) {
    var status = stat()
    guard lstat(folder.string, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFDIR, status.st_uid == getuid(),
      status.st_mode & 0o077 == 0
    else {
      throw CommandError(
        .permission,
        "\(folder) is not a directory for you alone; remove it, or `chmod 700 \(folder)`")
    }
  }

  private static var folders: [FilePath] {
    let uid = getuid()
    var all = [variable("XDG_RUNTIME_DIR")?.appending("feedfs")].compactMap(\.self)
    let own = "/run/user/\(uid)"
    if access(own, W_OK) == 0 { all.append(FilePath(own).appending("feedfs")) }
    for temporary in [variable("TMPDIR"), "/tmp"] as [FilePath?] {
      if let temporary { all.append(temporary.appending("feedfs-\(uid)")) }
    }
    var known: Set<FilePath> = []
    return all.filter { known.insert($0).inserted }
  }

  private static func variable(_ name: String) -> FilePath? {
    ProcessInfo.processInfo.environment[name].flatMap { $0.hasPrefix("/") ? FilePath($0) : nil }
  }
}
