import ArgumentParser
import Control
import FeedMount

struct FeedMoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "more", abstract: "Have a mount read the next page of its feed.")

  @OptionGroup
  var feeds: FeedsOfMount

  func run() throws {
    do throws(MountError) {
      let outcome = try MountControl.ask(
        .more(feed: feeds.feed), at: feeds.path(), as: MoreOutcome.self)
      if feeds.json {
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
