package import Host
package import SystemPackage

/// The user's subscriptions, which a mount without `--feed` follows while it runs.
package struct FollowedFeeds: Sendable {
  /// The file that names the subscriptions. The mount watches it.
  let file: FilePath
  private let read: @Sendable () throws(CommandError) -> [FeedChoice]

  /// - Parameter read: returns the subscriptions, as `choices` does.
  package init(
    _ file: FilePath, read: @escaping @Sendable () throws(CommandError) -> [FeedChoice]
  ) {
    self.file = file
    self.read = read
  }

  /// Returns the subscriptions that the file names now. Throws if the file cannot be understood, or
  /// is missing. Then the earlier subscriptions stay in force. Blocks on the disk.
  package func choices() throws(CommandError) -> [FeedChoice] {
    try read()
  }
}
