import ArgumentParser
import CommandTools

struct LimitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "limit",
    abstract: "Limit how many bytes are fetched in a second, or show the limit.")

  @Argument(
    help: "Bytes in a second: 500K, 1.5M; or off. Without a rate, the limit is shown.",
    completion: .list(["off"]))
  var rate: String?

  @OptionGroup
  var mount: SteeredMount

  func run() throws {
    try mount.limit(to: rate)
  }
}
