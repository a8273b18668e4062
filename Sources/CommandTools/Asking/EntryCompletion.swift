package import ArgumentParser
import Control
import Host
import Markup
import Settings
import SystemPackage

/// The shell completions for mounts, files in mounts, folders of feeds, and subscriptions.
package enum EntryCompletion {
  /// Completes mounts, the files in them, and their titles.
  package static let places = CompletionKind.custom { _, _, typed in
    let mounts = MountPoint.ours
    return places(typed, mounts: mounts, around: MountedFeeds.around(mounts), files: files)
  }

  /// Completes mounts only.
  package static let mounts = CompletionKind.custom { _, _, typed in
    MountPoint.ours.map(\.string).filter { $0.hasPrefix(typed) }
  }

  /// Completes the folders of the feeds of a mount.
  package static let folders = CompletionKind.custom { _, _, typed in
    let mounts = MountPoint.ours
    let mount = MountedFeeds.around(mounts) ?? mounts.first
    let status = mount.flatMap { mount in
      try? MountControl.ask(.status, at: mount, as: MountStatus.self, within: .seconds(2))
    }
    return (status?.feeds ?? []).map(\.folder).filter { !$0.isEmpty && $0.hasPrefix(typed) }
  }

  /// Completes subscriptions. A subscription without a name is completed by its address.
  package static let subscriptions = CompletionKind.custom { _, _, typed in
    let feeds = (try? ConfigurationFile.ownSettings.feeds) ?? []
    return feeds.map { $0.name ?? Subscriptions.shown($0) }.filter { $0.hasPrefix(typed) }
  }

  typealias File = (name: String, title: String)

  /// Returns the completions of `typed`. If `typed` is a path below a mount point, these are the
  /// paths of the mount's files. Otherwise these are all mount points, and the names of the files
  /// in one mount: the mount `around` the working directory, or else the only one. If none of these
  /// begins with `typed`, these are titles in that mount.
  static func places(
    _ typed: String, mounts: [FilePath], around: FilePath? = nil, files: (FilePath) -> [File]
  ) -> [String] {
    if let mount = mounts.first(where: { typed.hasPrefix($0.string + "/") }) {
      return files(mount).map { "\(mount)/\($0.name)" }.filter { $0.hasPrefix(typed) }
    }
    let own = (around ?? (mounts.count == 1 ? mounts[0] : nil)).map(files) ?? []
    let names = (mounts.map(\.string) + own.map(\.name)).filter { $0.hasPrefix(typed) }
    guard names.isEmpty, !typed.isEmpty else { return names }
    return own.map { PrintableText.line($0.title) }.filter { $0.hasPrefix(typed) }
  }

  /// Returns the folders and files of a mount. Returns none if the mount does not answer within 2
  /// s, because a completion must be quick.
  private static func files(_ mount: FilePath) -> [File] {
    let status = try? MountControl.ask(
      .status, at: mount, as: MountStatus.self, within: .seconds(2))
    let folders = status?.feeds.map(\.folder).filter { !$0.isEmpty } ?? []
    return folders.map { ($0, "") } + (status?.files.map { ($0.name, $0.title) } ?? [])
  }
}
