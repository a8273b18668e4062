import ArgumentParser
import Control

struct OfflineCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "offline",
    abstract: "Have a mount fetch nothing; who reads what is missing gets an error at once.")

  @OptionGroup
  var mount: SteeredMount

  func run() throws {
    try mount.ask(.turn(.offline))
  }
}
