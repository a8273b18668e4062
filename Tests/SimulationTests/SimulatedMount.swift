import Blocks
import Catalog
import Control
import FeedReading
import Filling
import Host
import Logging
import Locks
import Quantities
import SystemPackage
import TestSupport

@testable import FeedMount
@testable import Fuse
@testable import HTTP
@testable import Storage
@testable import World

/// One process of a simulated mount: the product's own feed, tree and cache commands, in a simulated
/// world.
///
/// One thread alone runs a simulation.
final class SimulatedMount: @unchecked Sendable {
  let around: SimulatedWorld
  let kernel: KernelView
  let feed: MountedFeed
  let tree: FeedFileSystem
  private let web: SimulatedWeb
  private let preloader: Preloader
  private let control: NetworkControl
  private let admin: CacheAdmin
  /// True once the mount was paused: waits may be longer than usual.
  private(set) var hasPaused = false
  /// True once it has begun to end: the kernel asks nothing more.
  private(set) var isEnding = false

  /// - Parameter wall: seconds since 1970, at this time after the start of the process.
  init(
    on disk: SimulatedDisk, _ web: SimulatedWeb, wall: @escaping @Sendable (Duration) -> Int,
    seed: UInt64
  ) throws(CommandError) {
    self.web = web
    around = SimulatedWorld(seed: seed)
    let time = around.time
    kernel = KernelView(around, passesThrough: seed % 2 == 0, seed: seed)
    let world = around.world(web, disk.disk(flushingBy: time), kernel) { wall(time.now) }
    let clock = world.timekeeper("feedfs.preloader")
    preloader = Preloader(clock)
    control = NetworkControl(.online, rate: .unlimited, clock: clock)
    feed = try Self.feed(in: world, around, preloader, control)
    admin = CacheAdmin(
      on: { [feed] in [CacheAdmin.Member(feed: feed, prefix: "")] }, in: "/cache",
      preloader: preloader,
      jobs: world.jobs("feedfs.cache"))
    tree = FeedFileSystem(
      feed.live, facts: EntryFacts(feed.live, in: .whole, prefix: ""),
      documents: GeneratedFiles(feed.documents, in: world) { "/cache" }, sidecars: feed.sidecars,
      space: .whole, root: nil, started: world.wall.seconds
    ) { [feed] in feed.opened($0, by: $1) }
    feed.begin()
    around.executor.run()
  }

  /// Locks the cache and reads the snapshot, as a mount does.
  private static func feed(
    in world: World, _ around: SimulatedWorld, _ preloader: Preloader, _ control: NetworkControl
  ) throws(CommandError) -> MountedFeed {
    let choice = FeedChoice(SimulatedFeed.first)
    let directories = MountDirectories(cache: "/cache", state: "/state")
    let log = Logger(label: "simulation") { _ in SwiftLogNoOpLogHandler() }
    var settings = MountSettings()
    // The simulated disk has no sparse files.
    settings.maxGrowth = 1 << 20
    let needs = FeedNeeds(
      directories: directories, settings: settings, world: world, preloader: preloader,
      networkControl: control, rules: rules, log: log)
    let made = around.finish { () -> Result<MountedFeed, CommandError> in
      do throws(CommandError) {
        return .success(
          try await MountedFeed.make(choice, at: .whole, with: needs))
      } catch {
        return .failure(error)
      }
    }
    guard let made else { throw CommandError(.tryLater, "the lock is never free") }
    return try made.get()
  }

  /// Small limits: small files then have many fetches.
  private static var rules: FillRules {
    var rules = FillRules()
    rules.heads.firstFetch = 64 << 10
    rules.sizes.initialMaxFetch = 256 << 10
    rules.sizes.maxFetchIntoMemory = 64 << 10
    rules.sizes.cachedInMemory = 192 << 10
    rules.ahead.minAhead = 128 << 10
    rules.heads.scannedHead = 64 << 10
    rules.seeks.shortRest = 32 << 10
    return rules
  }

  var live: LiveCatalog { feed.live }
  var cache: CacheDirectory { feed.cache }
  var time: ManualTime { around.time }
  var now: Int { feed.world.wall.seconds }
  var mode: NetworkMode { control.mode }

  // MARK: Time and threads

  /// True when no thread has anything to do.
  var isIdle: Bool {
    around.jobs.isIdle && around.executor.isIdle
      && time.nextCall.map { $0 > time.now } ?? true
  }

  /// Runs the calls that are due, which include the preloader's work, and the next job.
  func work() {
    around.advance(by: .zero)
    around.jobs.runNext()
    around.executor.run()
  }

  func advance(by duration: Duration) {
    around.advance(by: duration)
    around.executor.run()
  }

  /// Moves one random transfer on, and then all tasks.
  func step(_ random: inout SeededRandom) {
    web.step(&random)
    around.executor.run()
  }

  /// Brings all documents that are asked for.
  func bringDocuments(_ random: inout SeededRandom) {
    while web.stepDocument(&random) { around.executor.run() }
  }

  // MARK: What users do

  func refresh() {
    around.tasks.start { [feed] in _ = await feed.refresher.refresh() }
    around.executor.run()
  }

  func readMore() {
    around.tasks.start { [feed] in _ = await feed.refresher.more() }
    around.executor.run()
  }

  /// Asks for an entry, as a waiting command does.
  func ask(for number: Int) {
    _ = try? admin.fetch(targets([number]))
  }

  /// Returns whether the command succeeds.
  func pin(_ isPinned: Bool, _ numbers: [Int]) -> Bool {
    (try? admin.pin(isPinned, targets(numbers))) != nil
  }

  func clear(_ numbers: [Int], isAll: Bool) {
    _ = admin.clear(targets(numbers), isAll: isAll)
  }

  private func targets(_ numbers: [Int]) -> [CacheAdmin.Target] {
    numbers.compactMap { live.entry(number: $0) }.map { .entry(admin.members[0], $0) }
  }

  /// Changes the network mode, as `MountContext` does.
  func turn(_ mode: NetworkMode) {
    control.turn(mode)
    hasPaused = hasPaused || mode == .paused
    if mode == .online { web.turn(isOpen: true) }
    feed.turn(mode)
    if mode != .online { web.turn(isOpen: false) }
    around.executor.run()
  }

  // MARK: The end

  /// Ends as `MountContext` does. A killed process ends so too, on a disk that takes nothing more.
  func end() {
    isEnding = true
    preloader.end()
    feed.stopReaders()
    web.turn(isOpen: false)
    around.executor.run()
    feed.end()
    while around.jobs.runNext() {}
    // Tasks that sleep find the end.
    around.nights.advance(by: .seconds(3600))
    around.executor.run()
    around.end()
    web.turn(isOpen: true)
  }
}
