import ArgumentParser
import Control

struct OnlineCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "online", abstract: "Have a mount fetch again.")

  @OptionGroup
  var mount: SteeredMount

  func run() throws {
    try mount.ask(.turn(.online))
  }
}
