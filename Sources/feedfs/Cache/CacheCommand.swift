import ArgumentParser

struct CacheCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cache", abstract: "List, pin, check and clear the cache.",
    discussion: """
      Files are named as in the mount, by a path or by what `feedfs cache list` prints. The daemon \
      of a mount answers for its files; for other feeds the command reads the cache directory itself.
      """,
    subcommands: [
      CacheListCommand.self, CachePathCommand.self, CacheVerifyCommand.self, CachePruneCommand.self,
      CacheClearCommand.self, CachePinCommand.self, CacheUnpinCommand.self, CacheFetchCommand.self,
    ])
}
