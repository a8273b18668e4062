import ArgumentParser
import Control
import FeedMount

/// The mount that a command steers, and how it tells what came of it.
struct SteeredMount: ParsableArguments {
  @Argument(
    help: "Where the feed is mounted; not needed while there is only one.",
    completion: EntryCompletion.mounts)
  var mountPoint: String?

  @Flag(help: "Print JSON.")
  var json = false

  func ask(_ request: ControlRequest) throws {
    do throws(MountError) {
      let path = try MountedFeeds.choose(mountPoint)
      let outcome = try MountControl.ask(request, at: path, as: SteeringOutcome.self)
      if json {
        say(json: (try? Wire.encode(outcome)) ?? [])
      } else {
        let limit = outcome.rateLimit.map { "at most \($0) bytes a second" } ?? "no limit"
        say("\(path) is \(outcome.mode.rawValue), \(limit)")
      }
    } catch {
      throw complain(error)
    }
  }
}
