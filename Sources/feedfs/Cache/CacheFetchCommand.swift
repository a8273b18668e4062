import ArgumentParser
import CommandTools
import Control
import Host
import Quantities

struct CacheFetchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fetch", abstract: "Fetch whole files, and wait until they are complete.",
    discussion: """
      The files are fetched in the background, after what is being played. If this command is stopped, \
      fetching stops too; the bytes that were fetched stay in the cache.
      """)

  /// The time between two requests to a daemon. If no request comes for four seconds, the daemon
  /// stops fetching.
  private static let pause: Duration = .milliseconds(500)
  /// If no byte was fetched for this time, the command gives up.
  private static let timeout: Duration = .seconds(60)
  /// The timeout while nothing can be cached, instead of `timeout`. It is not zero, because another
  /// process can make room on the disk.
  private static let timeoutWithoutRoom: Duration = .seconds(5)

  @Argument(help: "The files.", completion: EntryCompletion.places)
  var files: [String] = []

  @Option(
    help: ArgumentHelp(
      "The number of entries to fetch of each feed, after the one played last.", valueName: "number"
    ))
  var next: Int?

  @OptionGroup
  var options: CacheOptions

  func validate() throws {
    guard !files.isEmpty || next != nil else {
      throw ValidationError("name the files to fetch, or give --next NUMBER.")
    }
    guard files.isEmpty || next == nil else {
      throw ValidationError(
        "give either files or --next: --next takes the next entries of all mounts."
      )
    }
    guard next ?? 1 > 0 else { throw ValidationError("--next takes a number above 0.") }
  }

  func run() async throws {
    try await Caches.with(options) { caches in
      var wanted = try caches.meant(by: files)
      if let next { wanted = try await Self.upNext(next, of: wanted.map(\.place)) }
      guard wanted.contains(where: { !$0.names.isEmpty }) else {
        throw CommandError(
          .noInput, "no mounted feed has entries after the one that was played last")
      }
      caches.hold(only: wanted.map(\.place))
      let end = try await wait(for: wanted)
      if let failed = end.files.first(where: { !$0.isComplete }) {
        let others = end.files.count { !$0.isComplete } - 1
        let more = others > 0 ? " (nor \(Quantity.count(others, "other file")))" : ""
        throw CommandError(
          .unavailable,
          "\(failed.name) cannot be fetched\(more): \(failed.reason ?? "for an unknown reason"); `feedfs"
            + " status` says more")
      }
      guard !options.json else {
        return say(json: (try? Wire.encode(end, pretty: true)) ?? [])
      }
      let bytes = end.files.reduce(0) { $0 + $1.cached }
      say("complete: \(Quantity.count(end.files.count, "file")), \(Quantity.bytes(bytes))")
    }
  }

  private typealias Wanted = [(place: Caches.Place, names: [String])]

  /// Returns the files of the next entries of each place. If any place is mounted, leaves out the
  /// others, because only a mount can fetch.
  private static func upNext(
    _ count: Int, of places: [Caches.Place]
  ) async throws(CommandError) -> Wanted {
    let mounted = places.filter { $0.mountPoint != nil }
    var wanted: Wanted = []
    for place in mounted.isEmpty ? places : mounted {
      let progress = try await place.ask(.fetchNext(count), as: FetchProgress.self)
      // A request without names would mean all files.
      if !progress.files.isEmpty { wanted.append((place, progress.files.map(\.name))) }
    }
    return wanted
  }

  private func wait(for wanted: Wanted) async throws -> FetchProgress {
    var progress = ProgressBar("fetched", of: 0)
    defer { progress.end() }
    var last = -1
    // A file that cannot be fetched is left out of later requests, and the other files are still
    // fetched.
    var wanted = wanted
    var hopeless: [FetchProgress.File] = []
    var since = ContinuousClock.now
    while true {
      var now = try await Self.look(at: &wanted)
      let failed = now.files.filter { $0.isHopeless ?? false }
      hopeless += failed
      wanted.removeAll { $0.names.isEmpty }
      guard let file = now.files.first(where: { !$0.isComplete && $0.isHopeless != true }) else {
        now.files += hopeless.filter { !failed.contains($0) }
        return now
      }
      let done = now.files.reduce(0) { $0 + $1.cached }
      progress.show(done, of: now.files.reduce(0) { $0 + ($1.size ?? 0) }, at: file.name)
      // A smaller number counts as a change too: if bytes were cleared meanwhile, they are fetched
      // again.
      if done != last { (last, since) = (done, .now) }
      let timeout = now.problem == nil ? Self.timeout : Self.timeoutWithoutRoom
      guard since.duration(to: .now) <= timeout else {
        let why =
          now.problem.map { "nothing is cached: \($0)" }
          ?? "nothing was fetched for a minute\(file.reason.map { ": \($0)" } ?? "")"
        throw CommandError(.tryLater, "\(file.name): \(why); `feedfs status` says more")
      }
      try await Task.sleep(for: Self.pause)
    }
  }

  /// Asks each place to fetch its files, and removes files that cannot be fetched from `wanted`.
  /// Files are removed only from the place that has reported them, because another place can have a
  /// file of the same name.
  private static func look(at wanted: inout Wanted) async throws(CommandError) -> FetchProgress {
    var all = FetchProgress(files: [], problem: nil)
    for index in wanted.indices {
      let (place, names) = wanted[index]
      for part in Caches.parts(of: names) {
        let progress = try await place.ask(.fetch(part), as: FetchProgress.self)
        all.files += progress.files
        all.problem = all.problem ?? progress.problem
        let hopeless = Set(progress.files.filter { $0.isHopeless ?? false }.map(\.name))
        wanted[index].names.removeAll(where: hopeless.contains)
      }
    }
    return all
  }
}
