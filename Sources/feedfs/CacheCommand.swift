import ArgumentParser
import Feeds
import FeedMount

struct CacheCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cache", abstract: "See, keep, check and clear what was fetched.",
    discussion: """
      Files are named as in the mount, by a path or by what `feedfs cache list` prints. What is mounted is \
      asked of its daemon; of feeds that are not mounted the cache directory is taken by itself.
      """,
    subcommands: [
      CacheListCommand.self, CachePathCommand.self, CacheVerifyCommand.self, CachePruneCommand.self,
      CacheClearCommand.self, CachePinCommand.self, CacheUnpinCommand.self, CacheFetchCommand.self,
    ])
}

/// Which cache is meant, and how it is told of.
struct CacheOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The cache, where it is not the usual one; mounts that have another are left alone.",
      valueName: "dir"),
    completion: .directory)
  var cacheDir: String?

  @Flag(help: "Print JSON.")
  var json = false
}

/// Bytes: "500M", "20G".
struct ByteCount: ExpressibleByArgument {
  let bytes: Int

  init?(argument: String) {
    guard let bytes = MountOptions.bytes(argument) else { return nil }
    self.bytes = bytes
  }
}

/// A time: "90s", "12h", "30d", "4w".
struct Age: ExpressibleByArgument {
  private static let units: [Character: Int] = [
    "s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 7 * 86_400,
  ]
  let seconds: Int

  init?(argument: String) {
    guard let unit = argument.last.flatMap({ Self.units[$0] }),
      let count = Int(argument.dropLast()),
      0..<1 << 40 ~= count
    else { return nil }
    seconds = count * unit
  }
}
