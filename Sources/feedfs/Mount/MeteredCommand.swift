import ArgumentParser
import CommandTools
import Control

struct MeteredCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "metered",
    abstract: "Say whether each byte costs you something; then only what is read is fetched.")

  enum Price: String, ExpressibleByArgument, CaseIterable {
    case on, off
  }

  @Argument(help: "on or off.")
  var price: Price

  @OptionGroup
  var mount: SteeredMount

  func run() throws {
    try mount.ask(.meter(price == .on))
  }
}
