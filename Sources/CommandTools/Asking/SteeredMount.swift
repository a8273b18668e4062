import ArgumentParser
import Blocks
package import Control
import Host
import Quantities
import SystemPackage

/// The arguments of a command that changes the network mode or the rate limit of mounts: the mount,
/// and the output format. By default it changes all mounts, because they all use the network
/// connection that the user wants to spare.
package struct SteeredMount: ParsableArguments {
  @Argument(
    help: "The mount; by default all of your mounts.",
    completion: EntryCompletion.mounts)
  var mountPoint: String?

  @Flag(help: "Print JSON, a line for each mount.")
  var json = false

  package init() {}

  /// Sends `request`, which changes something, to the mounts, and prints the outcome of each.
  package func ask(_ request: ControlRequest) throws {
    try tell(of: mountPoint) { path throws(CommandError) in
      try MountControl.ask(request, at: path, as: SteeringOutcome.self)
    }
  }

  /// Limits the rate to `typed`. If `typed` is nil, prints the present limits of all mounts
  /// instead. If `typed` is no rate, it is the mount whose limit is to be printed.
  package func limit(to typed: String?) throws {
    if let typed, let rate = Rate(parsing: typed) { return try ask(.limit(rate: rate.text)) }
    try look(typed, for: .limit, else: "is not a rate: write it \(Rate.form)")
  }

  /// Sets whether the network is metered: `typed` is "on" or "off". If `typed` is nil, prints the
  /// present state of all mounts instead. Any other text is the mount whose state is to be printed.
  package func meter(_ typed: String?) throws {
    switch typed {
    case "on": try ask(.meter(true))
    case "off": try ask(.meter(false))
    default: try look(typed, for: .price, else: "is neither on nor off; write on or off")
    }
  }

  /// A setting of a mount whose present value can be printed.
  private enum Question {
    case limit, price
  }

  /// Prints the present value of a setting, of one mount or of all mounts.
  ///
  /// - Parameters:
  ///   - typed: a mount; nil for all mounts.
  ///   - mistake: the message if `typed` is no mount.
  private func look(_ typed: String?, for question: Question, else mistake: String) throws {
    let isMount =
      typed.map { $0.contains("/") || MountPoint(Directories.mountedPath($0)).isOfFeeds } ?? true
    guard isMount, typed == nil || mountPoint == nil else {
      throw complain(CommandError(.usage, "\(typed ?? "") \(mistake)"))
    }
    try tell(of: typed ?? mountPoint, question) { path throws(CommandError) in
      let status = try MountControl.ask(.status, at: path, as: MountStatus.self)
      return SteeringOutcome(
        mode: status.mode, rateLimit: status.rateLimit, isMetered: status.isMetered)
    }
  }

  private func tell(
    of mountPoint: String?, _ question: Question? = nil,
    _ outcome: @escaping @Sendable (FilePath) throws(CommandError) -> SteeringOutcome
  ) throws {
    do throws(CommandError) {
      let paths = try mountPoint == nil ? MountedFeeds.all() : [MountedFeeds.choose(mountPoint)]
      let outcomes = together(paths) { path in
        Result { () throws(CommandError) in
          var outcome = try outcome(path)
          outcome.mountPoint = path.string
          return outcome
        }
      }
      var errors: [CommandError] = []
      for outcome in outcomes {
        switch outcome {
        case .success(let outcome): tell(outcome, question)
        case .failure(let error): errors.append(error)
        }
      }
      try MountControl.end(with: errors)
    } catch {
      throw complain(error)
    }
  }

  private func tell(_ outcome: SteeringOutcome, _ question: Question?) {
    guard !json else { return say(json: (try? Wire.encode(outcome)) ?? []) }
    let limit =
      outcome.rateLimit.map { ", limited to \(Quantity.rate($0))" }
      ?? (question == .limit ? ", without a limit" : "")
    let price =
      outcome.isMetered ? ", metered" : question == .price ? ", not metered" : ""
    say("\(outcome.mountPoint ?? "it") is \(outcome.mode.rawValue)\(limit)\(price)")
  }
}
