import Control
import Host
package import SystemPackage

/// The mounts that follow the user's subscriptions.
package enum FollowingMounts {
  /// The longest time that a command waits for a mount to read new feeds.
  private static let timeout: Duration = .seconds(20)

  /// Tells all mounts of this user that the subscriptions have changed. Returns the mounts that
  /// follow the subscriptions, each with the errors of feeds that could not be added. Leaves out
  /// mounts whose feeds were named in the mount command, because they follow no subscriptions. Also
  /// leaves out mounts that do not answer.
  package static func tell() -> [(mountPoint: FilePath, errors: [String])] {
    let mounts = MountPoint.ours
    let outcomes = together(mounts) { path in
      try? MountControl.ask(
        .follow, at: path, as: SubscriptionsOutcome.self, within: timeout)
    }
    return zip(mounts, outcomes).compactMap { path, outcome in outcome.map { (path, $0.errors) } }
  }

  /// Returns the path at which a mount has the feed with this address; nil if it has none.
  ///
  /// - Parameters:
  ///   - address: the feed's address as the status shows it, without secrets.
  ///   - isLeaving: whether to find a feed that the user no longer subscribes to, and that stays
  ///     mounted only while files of it are open.
  package static func path(
    of address: String, isLeaving: Bool = false, in mountPoint: FilePath
  ) -> String? {
    let status = try? MountControl.ask(
      .files(StatusPart(count: 0)), at: mountPoint, as: MountStatus.self, within: timeout)
    let feed = status?.feeds.last { $0.address == address && ($0.leaving ?? false) == isLeaving }
    guard let feed else { return nil }
    return feed.folder.isEmpty ? mountPoint.string : mountPoint.appending(feed.folder).string
  }
}
