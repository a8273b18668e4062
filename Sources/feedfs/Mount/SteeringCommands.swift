import Blocks
import ArgumentParser
import Control
import Host
import SystemPackage

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

/// The mounts that a command steers, by default all, since the network connection is metered and
/// not one mount; and the output of the outcome.
struct SteeredMount: ParsableArguments {
  @Argument(
    help: "The mount; by default all of your mounts.",
    completion: EntryCompletion.mounts)
  var mountPoint: String?

  @Flag(help: "Print JSON, a line for each mount.")
  var json = false

  func ask(_ request: ControlRequest) throws {
    do throws(MountError) {
      let paths = try mountPoint == nil ? MountedFeeds.all() : [MountedFeeds.choose(mountPoint)]
      let outcomes = together(paths) { path in
        Result { () throws(MountError) in
          var outcome = try MountControl.ask(request, at: path, as: SteeringOutcome.self)
          outcome.mountPoint = path.string
          return outcome
        }
      }
      var errors: [MountError] = []
      for outcome in outcomes {
        switch outcome {
        case .success(let outcome): tell(outcome)
        case .failure(let error): errors.append(error)
        }
      }
      try MountControl.end(with: errors)
    } catch {
      throw complain(error)
    }
  }

  private func tell(_ outcome: SteeringOutcome) {
    guard !json else { return say(json: (try? Wire.encode(outcome)) ?? []) }
    let limit = outcome.rateLimit.map { "at most \($0) bytes a second" } ?? "no limit"
    say("\(outcome.mountPoint ?? "it") is \(outcome.mode.rawValue), \(limit)")
  }
}
