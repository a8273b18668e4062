import ArgumentParser
import Control

struct ResumeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "resume", abstract: "Have a mount fetch again.")

  @OptionGroup
  var mount: SteeredMount

  func run() throws {
    try mount.ask(.turn(.online))
  }
}
