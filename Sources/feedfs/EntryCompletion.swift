import ArgumentParser
import Control
import FeedMount
import SystemPackage

/// What shells offer where a mount, or a file in one, is meant.
enum EntryCompletion {
  /// Mounts, and the files in them.
  static let places = CompletionKind.custom { _, _, typed in
    places(typed, mounts: MountPoint.ours, names: names)
  }

  /// Mounts alone.
  static let mounts = CompletionKind.custom { _, _, typed in
    MountPoint.ours.map(\.string).filter { $0.hasPrefix(typed) }
  }

  /// What may follow `typed`: below a mount point the paths of its files, else mount points and, where
  /// there is only one mount, the names of its files.
  static func places(
    _ typed: String, mounts: [FilePath], names: (FilePath) -> [String]
  ) -> [String] {
    if let mount = mounts.first(where: { typed.hasPrefix($0.string + "/") }) {
      return names(mount).map { "\(mount)/\($0)" }.filter { $0.hasPrefix(typed) }
    }
    let own = mounts.count == 1 ? names(mounts[0]) : []
    return (mounts.map(\.string) + own).filter { $0.hasPrefix(typed) }
  }

  /// Nobody waits long for what is only offered.
  private static func names(_ mount: FilePath) -> [String] {
    let status = try? MountControl.ask(
      .status, at: mount, as: MountStatus.self, within: .seconds(2))
    return status?.files.map(\.name) ?? []
  }
}
