import ArgumentParser

struct CacheCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cache", abstract: "List, pin, check and clear the cache.",
    discussion: """
      Files are named as in the mount, by a path or by what `feedfs cache list` prints. What is mounted is \
      asked of its daemon; of feeds that are not mounted the cache directory is taken by itself.
      """,
    subcommands: [
      CacheListCommand.self, CachePathCommand.self, CacheVerifyCommand.self, CachePruneCommand.self,
      CacheClearCommand.self, CachePinCommand.self, CacheUnpinCommand.self, CacheFetchCommand.self,
    ])
}
