import Blocks
import Catalog
import FeedReading
import Logging
import NIOConcurrencyHelpers
import Streaming
import SystemPackage
import TestSupport

@testable import FeedMount
@testable import HTTP
@testable import Storage

/// One process life of a mount: the real catalog, versions and cache, wired as in `MountedFeed` and
/// `MountCoordinator`, but with jobs in place of queues and tasks.
///
/// One thread alone runs a simulation.
final class SimulatedMount: @unchecked Sendable {
  let time: ManualTime
  let cache: CacheDirectory
  let live: LiveCatalog
  private let web: SimulatedWeb
  private let wall: @Sendable (Duration) -> Int
  private let preloader: Preloader
  private let checks: FreshnessChecks
  /// Work that blocks on the disk, done one after the other.
  private var chores: [() -> Void] = []
  /// Versions that need another address, and the address that was refused.
  private(set) var renewals: [(version: EntryVersion, refused: String)] = []
  private var superseded: [(number: Int, representation: Representation?)] = []
  private var proved: [(inode: UInt64, representation: Representation)] = []
  private var isSaving = false
  private(set) var mode = NetworkMode.online
  /// True once the mount was paused: waits may be longer than usual.
  private(set) var hasPaused = false
  /// Stores a snapshot for the next process; false if the disk does not take it.
  private let write: ([UInt8]) -> Bool

  /// - Parameters:
  ///   - wall: seconds since 1970, at this time after the start of the process.
  init(
    on disk: SimulatedDisk, _ web: SimulatedWeb, catalog: Catalog,
    wall: @escaping @Sendable (Duration) -> Int, seed: UInt64, write: @escaping ([UInt8]) -> Bool
  ) throws(StorageError) {
    let time = ManualTime()
    self.time = time
    self.web = web
    self.wall = wall
    self.write = write
    preloader = Preloader(time)
    let root = try Folder(SimulatedFile(disk), at: "/simulated")
    cache = try CacheDirectory(
      in: root, feedKey: catalog.feed.value, minFree: .bytes(0), limit: nil,
      blockSize: BlockLayout.standardBlockSize,
      flusher: Flusher(delay: .seconds(1)) { delay, body in time.call(after: delay, body) })
    let owner = Owner()
    live = LiveCatalog(
      catalog,
      maker: VersionMaker(
        client: web, feed: nil, cache: cache, timekeeper: time, rules: Self.rules,
        mode: { owner.mount?.mode ?? .online }, resolver: nil,
        failures: Failures(
          now: { owner.mount?.now ?? 0 },
          Logger(label: "simulation") { _ in SwiftLogNoOpLogHandler() }),
        complain: { _ in }, tell: { event, inode in owner.mount?.happened(event, to: inode) }),
      changed: { change in owner.mount?.changed(change) })
    checks = FreshnessChecks(live, by: web, for: nil) { wall(time.now) }
    owner.mount = self
    live.guardPins()
    preloader.followPins(of: live)
  }

  deinit {
    time.end()
  }

  /// Small limits: small files then have many fetches.
  private static var rules: FillRules {
    var rules = FillRules()
    rules.firstFetch = 64 << 10
    rules.largestFetch = 256 << 10
    rules.largestFetchIntoMemory = 64 << 10
    rules.keptInMemory = 192 << 10
    rules.leastAhead = 128 << 10
    rules.scannedHead = 64 << 10
    rules.shortRest = 32 << 10
    return rules
  }

  private final class Owner: @unchecked Sendable {
    weak var mount: SimulatedMount?
  }

  var now: Int { wall(time.now) }

  // MARK: Reactions

  private func changed(_ change: LiveCatalog.Change) {
    switch change {
    case .catalog: saveSoon()
    case .numbers(let then):
      save()
      then()
    case .size(_, _, _, let then): then(true)
    case .idle(let version): chores.append { [unowned self] in flush(version) }
    case .pins(let inode): preloader.followPin(of: inode, in: live)
    case .name, .title, .listing, .served, .contents, .attributes: break
    }
  }

  private func happened(_ event: VersionMaker.Event, to inode: UInt64) {
    if case .filled(let event) = event { preloader.happened(event, to: inode, in: live) }
    switch event {
    case .answered(let answer):
      let url = live.version(of: inode)?.origin.url
      live.know(KnownBody(answer, at: now), of: inode, at: url)
      proved.append((inode, answer.representation))
    case .filled(.superseded):
      if let entry = live.entry(inode: inode) {
        superseded.append((entry.number, live.version(of: inode)?.filler.representation))
      }
      live.superseded(inode)
    case .filled(.needsAddress):
      if let version = live.version(of: inode) {
        renewals.append((version, version.origin.url))
      }
    case .filled(.quiet):
      if let version = live.version(of: inode) {
        chores.append { [unowned self] in flush(version) }
      }
    case .filled(.completed): live.completed(inode)
    case .filled(.gaveUp): noteFailure(of: inode)
    case .filled(.wasWrong):
      live.forgot(inode)
      preloader.followPin(of: inode, in: live)
    case .filled(.bufferState), .filled(.played): break
    }
  }

  private func noteFailure(of inode: UInt64) {
    guard let version = live.version(of: inode) else { return }
    live.failures.note(
      version.origin.trouble ?? "", of: version.number, named: "\(version.number)",
      isHopeless: version.origin.isHopeless,
      until: live.failures.end(ofRefusal: version.origin.sources))
  }

  private func flush(_ version: EntryVersion) {
    try? version.file?.close()
    guard !version.filler.isFetching else { return }
    preloader.closed(version, in: live)
    live.forget(version)
  }

  private func saveSoon(after pause: Duration = .milliseconds(500)) {
    guard !isSaving else { return }
    isSaving = true
    time.call(after: pause) { [weak self] in
      guard let self else { return }
      chores.append { [unowned self] in
        isSaving = false
        save()
      }
    }
  }

  /// Saves the catalog. New entries are listed once the disk has taken it; a failed save is
  /// repeated after 5 s.
  private func save() {
    let catalog = live.catalog
    if write(catalog.encoded()) {
      live.saved(before: catalog.nextNumber)
    } else {
      saveSoon(after: .seconds(5))
    }
  }

  /// Asks for an entry, as `CacheAdmin` does.
  func ask(for number: Int) {
    guard let entry = live.entry(number: number) else { return }
    preloader.ask(for: [entry.inode], in: live)
  }

  func pin(_ isPinned: Bool, _ numbers: [Int]) {
    _ = live.pin(isPinned, numbers)
    save()
  }

  /// Changes the network mode, as `MountContext` does.
  func turn(_ mode: NetworkMode) {
    self.mode = mode
    hasPaused = hasPaused || mode == .paused
    live.turn()
  }

  // MARK: Jobs

  var isIdle: Bool { chores.isEmpty && renewals.isEmpty }

  /// Runs the calls that are due, which include the preloader's work, and the next chore.
  func work() {
    time.advance(by: .zero)
    if !chores.isEmpty { chores.removeFirst()() }
  }

  /// Tells the versions whose address was refused that the feed was asked.
  func renewed() {
    let renewals = renewals
    self.renewals = []
    for (version, refused) in renewals {
      version.filler.renewed(changed: version.origin.url != refused || version.origin.takeNext())
    }
  }

  func isRenewing(_ version: EntryVersion) -> Bool {
    renewals.contains { $0.version === version }
  }

  /// Returns and forgets the versions that became stale.
  func takeSuperseded() -> [(number: Int, representation: Representation?)] {
    defer { superseded = [] }
    return superseded
  }

  /// Returns and forgets the representations that answers have proved.
  func takeProved() -> [(inode: UInt64, representation: Representation)] {
    defer { proved = [] }
    return proved
  }

  /// Checks the freshness of an opened version, as `MountedFeed` does.
  func checkFreshness(of version: EntryVersion) {
    if mode == .online { checks.check(version) }
  }

  // MARK: The feed

  /// Reads the window, as `FeedRefresher` does; returns the change, or nil if the feed is
  /// unavailable.
  func refresh(from feed: SimulatedFeed) -> CatalogChange? {
    let chain = live.catalog.chain
    guard mode == .online, var window = feed.page(SimulatedFeed.first) else { return nil }
    var pages = [page(window, at: SimulatedFeed.first)]
    while let next = chain.following(pages), let further = feed.page(next) {
      window = window.followed(by: further)
      pages.append(page(further, at: next))
    }
    if chain.following(pages) != nil || pages.count < chain.count { window.isPartial = true }
    return waited { [live, now, pages, window] in
      await live.merge(window, of: pages, guessing: false, answer: PageFacts(), now: now)
    }
  }

  /// Reads further pages, as `FeedRefresher` does.
  func readMore(from feed: SimulatedFeed) {
    guard mode == .online else { return }
    var added = 0
    while added == 0, let url = live.catalog.chain.following {
      guard let further = feed.page(url) else {
        if feed.fault != .unreachable { live.noFurtherPage() }
        return
      }
      let place = page(further, at: url)
      added += waited { [live, now] in await live.extend(with: further, of: place, now: now) }
    }
  }

  private func page(_ feed: Feed, at url: String) -> PageChain.Page {
    PageChain.Page(url: url, next: feed.next, facts: PageFacts())
  }

  // MARK: The end

  /// Ends as `MountedFeed.end` does.
  func end() {
    preloader.end()
    for version in live.openVersions.sorted(by: { $0.inode < $1.inode }) { version.filler.end() }
    while !chores.isEmpty { work() }
    save()
    cache.close()
  }
}
