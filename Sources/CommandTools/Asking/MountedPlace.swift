package import Host
import Glibc
package import SystemPackage

/// A mount or a file in a mount, as the argument of a command.
package struct MountedPlace: Hashable {
  package let mountPoint: FilePath
  /// The name of the file in the mount, "0001.mp4" or "talks/0001.mp4"; nil for the mount as a
  /// whole.
  package let file: String?

  /// Finds the place that `typed` means: a mount point, or the path of a file in a mount. If there
  /// is only one mount, `typed` can also be the name of a file in that mount. Nil means the mount
  /// that contains the working directory, or else the only mount.
  package init(_ typed: String?) throws(CommandError) {
    guard let typed else {
      self.init(mountPoint: try MountedFeeds.nearest(), file: nil)
      return
    }
    let table = MountTable.own
    let mounts = table.feeds(of: geteuid())
    if let place = Self.place(Directories.mountedPath(typed), in: table.feeds) {
      self = place
    } else if !typed.hasPrefix("/"), !typed.hasPrefix("."), mounts.count == 1 {
      self =
        Self.place(mounts[0].appending(typed).lexicallyNormalized(), in: mounts)
        ?? MountedPlace(mountPoint: mounts[0], file: typed)
    } else {
      self.init(mountPoint: try MountedFeeds.choose(typed), file: nil)
    }
  }

  /// Returns the place of `path` in `mounts`; nil if it is in none of them. Accesses a mount only
  /// to read a link in `by-title`.
  static func place(_ path: FilePath, in mounts: [FilePath]) -> MountedPlace? {
    guard let mount = holder(of: path, in: mounts) else { return nil }
    var rest = path
    guard rest.removePrefix(mount) else { return nil }
    if rest.removingLastComponent().lastComponent == "by-title", let target = target(of: path) {
      let folder = mount.pushing(rest.removingLastComponent())
      rest = folder.pushing(target).lexicallyNormalized()
      _ = rest.removePrefix(mount)
    }
    return MountedPlace(mountPoint: mount, file: rest.isEmpty ? nil : rest.string)
  }

  /// Returns the innermost of `mounts` that contains `path`; nil if none does.
  static func holder(of path: FilePath, in mounts: [FilePath]) -> FilePath? {
    mounts.filter { path.starts(with: $0) }.max { $0.components.count < $1.components.count }
  }

  init(mountPoint: FilePath, file: String?) {
    self.mountPoint = mountPoint
    self.file = file
  }

  /// The path of the file, or the mount point.
  var path: FilePath { file.map { mountPoint.appending($0) } ?? mountPoint }

  /// Returns the target of `link`; nil if it is no link, or if the mount does not answer within a
  /// second. In that case the command's next request reports the error.
  private static func target(of link: FilePath) -> FilePath? {
    let target = try? MountQuestion(.link, at: link).answer(by: .now + .seconds(1))
    return target.map { FilePath(String(decoding: $0, as: UTF8.self)) }
  }
}
