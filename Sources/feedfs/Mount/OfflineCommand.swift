import ArgumentParser
import Blocks
import CommandTools
import Control

struct OfflineCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "offline",
    abstract: "Stop fetching; reads of missing bytes fail at once.")

  @OptionGroup
  var mount: SteeredMount

  func run() throws {
    try mount.ask(.turn(.offline))
  }
}
