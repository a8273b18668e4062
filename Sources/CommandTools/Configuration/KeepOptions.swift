import ArgumentParser
package import FeedReading

/// The option `--keep`, which tells what entries are fetched automatically.
package struct KeepOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Fetch entries automatically: a number of the newest unplayed ones, all unplayed ones (unplayed), all"
        + " entries (all), or none. Those that were played are deleted, except with all.",
      valueName: "number|unplayed|all|none"),
    transform: written)
  var keep: KeepRule?

  package init() {}

  package var rule: KeepRule? { keep }
}
