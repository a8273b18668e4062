import ArgumentParser
package import Host
package import SystemPackage

/// The arguments of a command about the feeds of a mount: the mount, one of its feeds, and the
/// output format.
package struct FeedsOfMount: ParsableArguments {
  @Argument(
    help:
      "The mount, or the folder of one feed; not needed while there is only one mount.",
    completion: EntryCompletion.mounts)
  var place: String?

  @Option(help: "Only the feed in this folder.", completion: EntryCompletion.folders)
  var feed: String?

  @Flag(help: "Print JSON.")
  package var json = false

  package init() {}

  /// Returns the mount that the user named. If none was named, it is the mount around the working
  /// directory, or else the only mount. Also returns the folder of the feed that is meant; nil
  /// means all feeds.
  package func meant() throws(CommandError) -> (path: FilePath, feed: String?) {
    guard place != nil else { return (try MountedFeeds.nearest(), feed) }
    let place = try MountedPlace(place)
    guard place.file == nil || feed == nil else {
      throw CommandError(.usage, "both the folder and --feed name a feed; give only one of the two")
    }
    return (place.mountPoint, feed ?? place.file)
  }
}
