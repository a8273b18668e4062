import ArgumentParser
import CommandTools
import Control
import Host

struct FeedRefreshCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "refresh", abstract: "Refresh the feeds of a mount now.",
    discussion: "If a feed has moved, its subscription gets the new address beside the old one.")

  @OptionGroup
  var feeds: FeedsOfMount

  func run() throws {
    do throws(CommandError) {
      let (path, feed) = try feeds.meant()
      let outcome = try MountControl.ask(
        .refresh(feed: feed), at: path, as: RefreshOutcome.self)
      if feeds.json {
        say(json: (try? Wire.encode(outcome)) ?? [])
      } else {
        say("refreshed \(outcome.refreshed) of \(outcome.refreshed + outcome.errors.count) feeds")
        for news in outcome.news ?? [] { say(news.words) }
      }
      let moves = try MountControl.ask(.moves(feed: feed), at: path, as: FeedMoves.self)
      let written = try MovedSubscriptions.write(moves.moves)
      if !feeds.json { for line in written { say(line) } }
      try MountControl.end(with: outcome.errors)
    } catch {
      throw complain(error)
    }
  }
}
