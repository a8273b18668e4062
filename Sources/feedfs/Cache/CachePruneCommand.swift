import ArgumentParser
import CommandTools
import Control
import Quantities

struct CachePruneCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prune",
    abstract: "Remove the files from the cache that you are least likely to need.",
    discussion: """
      These are files that no feed lists any more, and versions that their origin has replaced. Pinned \
      and open files stay.
      """)

  @Option(
    help: ArgumentHelp(
      "Also remove files that were not used for this long (12h, 30d, 4w).", valueName: "age"),
    transform: written)
  var olderThan: TimeSpan?

  @Option(
    help: ArgumentHelp(
      "Also remove the longest unused files until the whole cache takes no more than this: bytes (500M, 5G),"
        + " or a share of the disk (5%).", valueName: "space"), transform: written)
  var to: Space?

  @Flag(help: "Remove nothing, and list what would be removed.")
  var dryRun = false

  @OptionGroup
  var options: CacheOptions

  func validate() throws {
    // A number without a unit means seconds. If the user meant days, the command would remove
    // nearly everything.
    guard olderThan?.isBare != true else {
      throw ValidationError("--older-than takes a time with its unit: 30d, 12h.")
    }
  }

  func run() async throws {
    var rule = PruneRule()
    rule.unusedFor = olderThan.map { Int($0.seconds) }
    rule.isRehearsal = dryRun
    try await Caches.with(options) { [rule] caches in
      let outcome = try await caches.prune(by: rule, to: to)
      outcome.say(dryRun ? "would prune" : "pruned", options)
      if dryRun, !options.json { for name in outcome.files { say(name) } }
    }
  }
}
