import ArgumentParser
import Control

struct LimitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "limit", abstract: "Have a mount fetch no more than so many bytes a second.")

  @Argument(help: "Bytes a second: 500K, 2M; or off.")
  var rate: String

  @OptionGroup
  var mount: SteeredMount

  func run() throws {
    try mount.ask(.limit(rate: rate))
  }
}
