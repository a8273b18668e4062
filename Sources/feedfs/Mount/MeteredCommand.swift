import ArgumentParser
import CommandTools

struct MeteredCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "metered",
    abstract:
      "Set or show whether the network is metered: if it is, little is fetched before it is read."
  )

  @Argument(
    help: "on or off. Without a word, the present state is shown.",
    completion: .list(["on", "off"]))
  var price: String?

  @OptionGroup
  var mount: SteeredMount

  func run() throws {
    try mount.meter(price)
  }
}
