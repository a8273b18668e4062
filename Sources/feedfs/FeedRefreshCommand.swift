import ArgumentParser
import Control
import FeedMount

struct FeedRefreshCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "refresh", abstract: "Have a mount read its feeds now.")

  @Argument(
    help: "Where they are mounted; not needed while there is only one mount.",
    completion: EntryCompletion.mounts)
  var mountPoint: String?

  @Option(help: "Only the feed in this folder.")
  var feed: String?

  @Flag(help: "Print JSON.")
  var json = false

  func run() throws {
    do throws(MountError) {
      let outcome = try MountControl.ask(
        .refresh(feed: feed), at: MountedFeeds.choose(mountPoint), as: RefreshOutcome.self)
      if json {
        say(json: (try? Wire.encode(outcome)) ?? [])
      } else {
        say("refreshed \(outcome.refreshed) of \(outcome.refreshed + outcome.errors.count) feeds")
      }
      try MountControl.end(with: outcome.errors)
    } catch {
      throw complain(error)
    }
  }
}
