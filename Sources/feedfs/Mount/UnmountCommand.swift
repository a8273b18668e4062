import ArgumentParser
import CommandTools
import Host

struct UnmountCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unmount", abstract: "Flush the cache, and unmount.",
    discussion: "Refuses to unmount a mount that is in use, unless --force is given.",
    aliases: ["umount"])

  @Argument(
    help: "The mount; not needed while there is only one.",
    completion: EntryCompletion.mounts)
  var mountPoint: String?

  @Flag(help: "Unmount even if the mount is in use: its reads end with an error.")
  var force = false

  func run() throws {
    do throws(CommandError) {
      // The daemon of a mount that is gone from this path can still run, so `--force` checks no
      // mount.
      if force, let mountPoint { return try Unmounting.force(Directories.mountedPath(mountPoint)) }
      let path = try MountedFeeds.choose(mountPoint)
      if force { try Unmounting.force(path) } else { try Unmounting.ask(path) }
    } catch {
      throw complain(error)
    }
  }
}
