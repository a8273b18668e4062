import ArgumentParser
import CommandTools
import Control

struct LimitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "limit", abstract: "Limit how many bytes are fetched in a second.")

  @Argument(help: "Bytes in a second: 500K, 2M; or off.")
  var rate: String

  @OptionGroup
  var mount: SteeredMount

  func run() throws {
    try mount.ask(.limit(rate: rate))
  }
}
