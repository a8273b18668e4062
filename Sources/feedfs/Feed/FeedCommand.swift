import ArgumentParser

struct FeedCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "feed", abstract: "Show feeds, and subscribe to them.",
    subcommands: [
      FeedShowCommand.self, FeedAddCommand.self, FeedRemoveCommand.self, FeedListCommand.self,
      FeedRefreshCommand.self, FeedMoreCommand.self, FeedImportCommand.self, FeedExportCommand.self,
    ])
}
