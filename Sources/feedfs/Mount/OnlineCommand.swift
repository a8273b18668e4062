import ArgumentParser
import Blocks
import CommandTools
import Control

struct OnlineCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "online", abstract: "Fetch again, after `pause` or `offline`.",
    aliases: ["resume"])

  @OptionGroup
  var mount: SteeredMount

  func run() throws {
    try mount.ask(.turn(.online))
  }
}
