import ArgumentParser
import CommandTools
import Control
import FeedMount

struct CachePruneCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prune",
    abstract: "Remove the files from the cache that you are least likely to need.",
    discussion: """
      That is what no feed lists any more, and versions that their origin has replaced. What is pinned or \
      open stays.
      """)

  @Option(
    help: ArgumentHelp(
      "Also remove files that were not used for this long (12h, 30d, 4w).", valueName: "age"))
  var olderThan: Age?

  @Option(
    help: ArgumentHelp(
      "Also remove the longest unused files until the whole cache takes no more than this (500M, 5G).",
      valueName: "space"))
  var to: ByteCount?

  @Flag(help: "Remove nothing, and list what would be removed.")
  var dryRun = false

  @OptionGroup
  var options: CacheOptions

  func run() async throws {
    var rule = PruneRule()
    rule.unusedFor = olderThan?.seconds
    rule.bytes = to?.bytes
    rule.isRehearsal = dryRun
    try await Caches.with(options) { [rule] caches in
      let outcome = try await caches.all([]) { _ in .prune(rule) }
      outcome.say(dryRun ? "would prune" : "pruned", options)
      if dryRun, !options.json { for name in outcome.files { say(name) } }
    }
  }
}
