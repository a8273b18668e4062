import ArgumentParser
import FeedMount

struct UnmountCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unmount", abstract: "Flush what was fetched, and take a mount down.",
    discussion: "A mount that is in use is left as it is, unless --force is given.",
    aliases: ["umount"])

  @Argument(
    help: "Where the feed is mounted; not needed while there is only one.",
    completion: EntryCompletion.mounts)
  var mountPoint: String?

  @Flag(help: "End a mount that is in use: what is being read from it ends with an error.")
  var force = false

  func run() throws {
    do throws(MountError) {
      // A daemon may still serve a mount that is no longer at this path.
      if force, let mountPoint { return try Unmounting.force(Directories.absolute(mountPoint)) }
      let path = try MountedFeeds.choose(mountPoint)
      if force { try Unmounting.force(path) } else { try Unmounting.ask(path) }
    } catch {
      throw complain(error)
    }
  }
}
