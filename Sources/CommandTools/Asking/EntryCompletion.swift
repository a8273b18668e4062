package import ArgumentParser
import Control
import Host
import SystemPackage

/// The shell completions for a mount, or a file in one.
package enum EntryCompletion {
  /// Completes mounts, and the files in them.
  package static let places = CompletionKind.custom { _, _, typed in
    let mounts = MountPoint.ours
    return places(typed, mounts: mounts, around: MountedFeeds.around(mounts), names: names)
  }

  /// Completes mounts only.
  package static let mounts = CompletionKind.custom { _, _, typed in
    MountPoint.ours.map(\.string).filter { $0.hasPrefix(typed) }
  }

  /// Returns the completions of `typed`. Below a mount point, these are the paths of its files.
  /// Else they are mount points, and the names of one mount's files. That mount is the one around
  /// the working directory, or the only one.
  static func places(
    _ typed: String, mounts: [FilePath], around: FilePath? = nil, names: (FilePath) -> [String]
  ) -> [String] {
    if let mount = mounts.first(where: { typed.hasPrefix($0.string + "/") }) {
      return names(mount).map { "\(mount)/\($0)" }.filter { $0.hasPrefix(typed) }
    }
    let own = (around ?? (mounts.count == 1 ? mounts[0] : nil)).map(names) ?? []
    return (mounts.map(\.string) + own).filter { $0.hasPrefix(typed) }
  }

  /// Returns the names of a mount's files. Waits for 2 s at most, because a completion is only an
  /// offer.
  private static func names(_ mount: FilePath) -> [String] {
    let status = try? MountControl.ask(
      .status, at: mount, as: MountStatus.self, within: .seconds(2))
    return status?.files.map(\.name) ?? []
  }
}
