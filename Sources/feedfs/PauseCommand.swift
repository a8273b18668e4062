import ArgumentParser
import Control

struct PauseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pause",
    abstract: "Have a mount fetch nothing, as on a metered line; who reads what is missing waits.")

  @OptionGroup
  var mount: SteeredMount

  func run() throws {
    try mount.ask(.turn(.paused))
  }
}
