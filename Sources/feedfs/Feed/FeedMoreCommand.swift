import ArgumentParser
import CommandTools
import Control
import Host

struct FeedMoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "more", abstract: "Read the next page of a mount's feed.")

  @OptionGroup
  var feeds: FeedsOfMount

  func run() throws {
    do throws(CommandError) {
      let (path, feed) = try feeds.meant()
      let outcome = try MountControl.ask(.more(feed: feed), at: path, as: MoreOutcome.self)
      if feeds.json {
        say(json: (try? Wire.encode(outcome)) ?? [])
      } else {
        let end = outcome.end.map { "; \($0)" } ?? ""
        say((outcome.added == 1 ? "1 new entry" : "\(outcome.added) new entries") + end)
      }
      try MountControl.end(with: outcome.errors)
    } catch {
      throw complain(error)
    }
  }
}
