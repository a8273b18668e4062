import ArgumentParser
import CommandTools
import Control
import Host

struct FeedRefreshCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "refresh", abstract: "Refresh the feeds of a mount now.")

  @OptionGroup
  var feeds: FeedsOfMount

  func run() throws {
    do throws(MountError) {
      let outcome = try MountControl.ask(
        .refresh(feed: feeds.feed), at: feeds.path(),
        as: RefreshOutcome.self)
      if feeds.json {
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
