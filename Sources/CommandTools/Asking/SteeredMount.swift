import ArgumentParser
import Blocks
package import Control
import Host
import SystemPackage

/// The mounts whose network mode or rate a command changes, and the output of the outcome. By
/// default these are all mounts, because the user's network connection is metered, and not a single
/// mount.
package struct SteeredMount: ParsableArguments {
  @Argument(
    help: "The mount; by default all of your mounts.",
    completion: EntryCompletion.mounts)
  var mountPoint: String?

  @Flag(help: "Print JSON, a line for each mount.")
  var json = false

  package init() {}

  package func ask(_ request: ControlRequest) throws {
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
