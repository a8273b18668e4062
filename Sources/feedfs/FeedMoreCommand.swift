import ArgumentParser
import Control
import FeedMount

struct FeedMoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "more", abstract: "Have a mount read the next page of its feed.")

  @Argument(
    help: "Where it is mounted; not needed while there is only one mount.",
    completion: EntryCompletion.mounts)
  var mountPoint: String?

  @Option(help: "Only of the feed in this folder.")
  var feed: String?

  @Flag(help: "Print JSON.")
  var json = false

  func run() throws {
    do throws(MountError) {
      let outcome = try MountControl.ask(
        .more(feed: feed), at: MountedFeeds.choose(mountPoint), as: MoreOutcome.self)
      if json {
        say(json: (try? Wire.encode(outcome)) ?? [])
      } else {
        let end = outcome.end.map { "; \($0)" } ?? ""
        say("\(outcome.added) new entries\(end)")
      }
      try MountControl.end(with: outcome.errors)
    } catch {
      throw complain(error)
    }
  }
}
