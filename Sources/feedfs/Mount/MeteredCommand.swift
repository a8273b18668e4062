import ArgumentParser
import CommandTools

struct MeteredCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "metered",
    abstract:
      "Say whether each byte costs you something; then only what is read is fetched. Or show it.")

  @Argument(
    help: "on or off. Without it, it is shown which of them holds.",
    completion: .list(["on", "off"]))
  var price: String?

  @OptionGroup
  var mount: SteeredMount

  func run() throws {
    try mount.meter(price)
  }
}
