import ArgumentParser
package import FeedReading
import Markup

/// The options for the rules of a feed, which decide what entries are listed.
package struct RuleOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("List only this many of the newest entries.", valueName: "number|all"))
  var newest: CountOrAll?

  @Option(
    help: ArgumentHelp(
      "List only entries since a day (2026-01-31), or not older than an age (90d).",
      valueName: "day|age"),
    transform: written)
  var since: RuleStart?

  @Option(
    help: ArgumentHelp(
      "Leave out entries with these words in the title, or that match /an expression/; may be repeated."
        + " Words that begin with notes: are searched in the notes instead of the title.",
      valueName: "words"),
    transform: Self.pattern)
  var skip: [EntryPattern] = []

  @Option(
    help: ArgumentHelp(
      "List only entries that match these words, which are written as for --skip; may be repeated.",
      valueName: "words"),
    transform: Self.pattern)
  var only: [EntryPattern] = []

  @Option(
    help: ArgumentHelp("Leave out entries that are shorter than this.", valueName: "time"),
    transform: written)
  var minDuration: RuleTime?

  @Option(
    help: ArgumentHelp("Leave out entries that are longer than this.", valueName: "time"),
    transform: written)
  var maxDuration: RuleTime?

  @Flag(
    inversion: .prefixedNo,
    help: "List live broadcasts as well, or leave entries out while they are live.")
  var live: Bool?

  package init() {}

  package func validate() throws {
    guard max(skip.count, only.count) <= EntryRules.maxPatterns else {
      throw ValidationError("--skip and --only may be given \(EntryRules.maxPatterns) times.")
    }
  }

  package var rules: EntryRules {
    var rules = EntryRules()
    rules.newest = newest?.number
    rules.since = since
    rules.skip = skip.isEmpty ? nil : skip
    rules.only = only.isEmpty ? nil : only
    rules.minDuration = minDuration
    rules.maxDuration = maxDuration
    rules.live = live
    return rules
  }

  private static func pattern(_ text: String) throws -> EntryPattern {
    do { return try EntryPattern(text) } catch {
      throw ValidationError("\"\(PrintableText.line(text))\" \(error).")
    }
  }
}
