package import Host
package import SystemPackage

/// Finds the mount that a command means. Only this user's mounts are searched. The user must name
/// the path of another user's mount.
package enum MountedFeeds {
  /// Returns the mount at `typed`, or the only mount if `typed` is nil.
  package static func choose(_ typed: String?) throws(CommandError) -> FilePath {
    guard let typed else { return try onlyOne() }
    let path = Directories.mountedPath(typed)
    guard MountPoint(path).isOfFeeds else {
      throw CommandError(
        .noInput, "no feed is mounted at \(path); `feedfs status` lists your mounts")
    }
    return path
  }

  /// Returns all mounts of this user; throws if there is none.
  package static func all() throws(CommandError) -> [FilePath] {
    let mounts = MountPoint.ours
    guard !mounts.isEmpty else {
      throw CommandError(
        .noInput, "no feed is mounted; `feedfs mount URL DIRECTORY` mounts one")
    }
    return mounts
  }

  /// Returns the mount that contains the working directory, or else the only mount.
  package static func nearest() throws(CommandError) -> FilePath {
    guard let mount = around(MountPoint.ours) else { return try onlyOne() }
    return mount
  }

  /// Returns the innermost of `mounts` that contains the working directory; nil if none does.
  static func around(_ mounts: [FilePath]) -> FilePath? {
    MountedPlace.holder(of: Directories.absolute("."), in: mounts)
  }

  private static func onlyOne() throws(CommandError) -> FilePath {
    let mounts = try all()
    guard mounts.count == 1 else {
      let names = mounts.map(\.string).joined(separator: ", ")
      throw CommandError(.usage, "several feeds are mounted; give the directory of one: \(names)")
    }
    return mounts[0]
  }
}
