import ArgumentParser
import Blocks
import CommandTools
import Control

struct PauseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pause",
    abstract: "Stop fetching, as on a metered line; reads of missing bytes wait.")

  @OptionGroup
  var mount: SteeredMount

  func run() throws {
    try mount.ask(.turn(.paused))
  }
}
