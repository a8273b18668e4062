import ArgumentParser
package import FeedReading

/// The option that says which entries are fetched automatically.
package struct KeepOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Fetch this many of the newest unplayed entries automatically, and delete each after it was played:"
        + " a number, unplayed for all of them, all to delete nothing, or none.",
      valueName: "number|unplayed|all|none"),
    transform: written)
  var keep: KeepRule?

  package init() {}

  package var rule: KeepRule? { keep }
}
