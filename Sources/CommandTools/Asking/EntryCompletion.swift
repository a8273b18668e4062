package import ArgumentParser
import Control
import Host
import Markup
import Settings
import SystemPackage

/// The shell completions for a mount, or a file in one.
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

  /// Completes subscriptions, by their names or else by their addresses.
  package static let subscriptions = CompletionKind.custom { _, _, typed in
    let feeds = (try? ConfigurationFile.ownSettings.feeds) ?? []
    return feeds.map { $0.name ?? Subscriptions.shown($0) }.filter { $0.hasPrefix(typed) }
  }

  typealias File = (name: String, title: String)

  /// Returns the completions of `typed`. Below a mount point, these are the paths of its files.
  /// Otherwise, these are mount points, and the names of the files in one mount: the mount around
  /// the working directory, or else the only one. If no such name begins with `typed`, these are
  /// the titles that do.
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

  /// Returns the folders and files of a mount; none if it does not answer within 2 s, because a
  /// completion must be quick.
  private static func files(_ mount: FilePath) -> [File] {
    let status = try? MountControl.ask(
      .status, at: mount, as: MountStatus.self, within: .seconds(2))
    let folders = status?.feeds.map(\.folder).filter { !$0.isEmpty } ?? []
    return folders.map { ($0, "") } + (status?.files.map { ($0.name, $0.title) } ?? [])
  }
}
