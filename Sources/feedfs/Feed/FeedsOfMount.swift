import ArgumentParser
import Host
import SystemPackage

/// The feeds of a mount that a command is about, and the format of its output.
struct FeedsOfMount: ParsableArguments {
  @Argument(
    help: "Where they are mounted; not needed while there is only one mount.",
    completion: EntryCompletion.mounts)
  var mountPoint: String?

  @Option(help: "Only the feed in this folder.")
  var feed: String?

  @Flag(help: "Print JSON.")
  var json = false

  /// Returns the named mount, else the nearest one.
  func path() throws(MountError) -> FilePath {
    try mountPoint == nil ? MountedFeeds.nearest() : MountedFeeds.choose(mountPoint)
  }
}
