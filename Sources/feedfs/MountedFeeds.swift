import FeedMount
import FoundationEssentials
import SystemPackage

/// The mounts that a command may mean.
enum MountedFeeds {
  /// The mount at `typed`, or the only one there is.
  static func choose(_ typed: String?) throws(MountError) -> FilePath {
    guard let typed else { return try onlyOne() }
    let path = Directories.absolute(typed)
    guard MountPoint(path).isOurs else {
      throw MountError(
        .noInput, "no feed is mounted at \(path); `mount -t fuse.feedfs` lists those that are")
    }
    return path
  }

  private static func onlyOne() throws(MountError) -> FilePath {
    let mounts = MountPoint.ours
    guard let mount = mounts.first else {
      throw MountError(
        .noInput, "no feed is mounted; `feedfs mount DIRECTORY --feed URL` mounts one")
    }
    guard mounts.count == 1 else {
      let names = mounts.map(\.string).joined(separator: ", ")
      throw MountError(.usage, "several feeds are mounted, say which: \(names)")
    }
    return mount
  }
}
