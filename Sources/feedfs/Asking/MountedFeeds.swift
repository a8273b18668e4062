import FeedMount
import FoundationEssentials
import SystemPackage

/// The mounts that a command may mean. Those of this user alone are looked for; another's has to be named.
enum MountedFeeds {
  /// The mount at `typed`, or the only one there is.
  static func choose(_ typed: String?) throws(MountError) -> FilePath {
    guard let typed else { return try onlyOne() }
    let path = Directories.absolute(typed)
    guard MountPoint(path).isOfFeeds else {
      throw MountError(
        .noInput, "no feed is mounted at \(path); `feedfs status` lists those that are")
    }
    return path
  }

  /// All mounts of this user.
  static func all() throws(MountError) -> [FilePath] {
    let mounts = MountPoint.ours
    guard !mounts.isEmpty else {
      throw MountError(
        .noInput, "no feed is mounted; `feedfs mount DIRECTORY --feed URL` mounts one")
    }
    return mounts
  }

  /// The one around the working directory, or the only one there is.
  static func nearest() throws(MountError) -> FilePath {
    guard let mount = around(MountPoint.ours) else { return try onlyOne() }
    return mount
  }

  /// Which of `mounts` the working directory is in.
  static func around(_ mounts: [FilePath]) -> FilePath? {
    MountedPlace.holder(of: Directories.absolute("."), in: mounts)
  }

  private static func onlyOne() throws(MountError) -> FilePath {
    let mounts = try all()
    guard mounts.count == 1 else {
      let names = mounts.map(\.string).joined(separator: ", ")
      throw MountError(.usage, "several feeds are mounted, say which: \(names)")
    }
    return mounts[0]
  }
}
