import ArgumentParser
import CommandTools

struct MeteredCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "metered",
    abstract:
      "Set whether each byte costs you something, so that only what is read is fetched; or show it."
  )

  @Argument(
    help: "on or off. Without it, the present state is shown.",
    completion: .list(["on", "off"]))
  var price: String?

  @OptionGroup
  var mount: SteeredMount

  func run() throws {
    try mount.meter(price)
  }
}
