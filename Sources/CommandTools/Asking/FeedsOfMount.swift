package import ArgumentParser
package import Host
package import SystemPackage

/// The mount whose feeds a command is about, and the format of the command's output.
package struct FeedsOfMount: ParsableArguments {
  @Argument(
    help: "Where they are mounted; not needed while there is only one mount.",
    completion: EntryCompletion.mounts)
  var mountPoint: String?

  @Option(help: "Only the feed in this folder.")
  package var feed: String?

  @Flag(help: "Print JSON.")
  package var json = false

  package init() {}

  /// Returns the named mount, or else the nearest one.
  package func path() throws(MountError) -> FilePath {
    try mountPoint == nil ? MountedFeeds.nearest() : MountedFeeds.choose(mountPoint)
  }
}
