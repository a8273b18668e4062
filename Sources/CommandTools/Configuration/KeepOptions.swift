import ArgumentParser
package import FeedReading

/// The option that says which entries are fetched by themselves.
package struct KeepOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Fetch the newest unplayed entries by themselves, so many, and delete each once it was played:"
        + " a number, unplayed for all of them, all to delete none, or none.",
      valueName: "number|unplayed|all|none"),
    transform: written)
  var keep: KeepRule?

  package init() {}

  package var rule: KeepRule? { keep }
}
