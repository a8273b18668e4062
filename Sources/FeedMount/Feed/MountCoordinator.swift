import Blocks
import Dispatch
import Catalog
import FeedReading
import Fuse
import Host
import Logging
import NIOConcurrencyHelpers
import Storage
import Streaming

/// Reacts to catalog and fill events: saves the catalog, notifies the kernel, renews addresses.
///
/// Safe from any thread. Blocking work runs on `chores`, one task after the other.
final class MountCoordinator: Sendable {
  private struct State {
    var live: LiveCatalog?
    var refresher: FeedRefresher?
    var session: (any KernelNotices)?
    var space = InodeSpace.whole
    var isSaving = false
    /// The reason why the catalog could not be saved; nil after a success.
    var trouble: String?
    /// The delay before the next try to save after a failure.
    var pause = MountCoordinator.firstPause
  }

  private static let firstPause = Duration.seconds(1)
  private static let longestPause = Duration.seconds(30)

  private let snapshot: SnapshotFile
  private let preloader: Preloader
  private let log: Logger
  private let chores = DispatchQueue(label: "feedfs.chores")
  private let passthrough = PassthroughQueue()
  private let state = NIOLockedValueBox(State())

  init(_ snapshot: SnapshotFile, _ preloader: Preloader, log: Logger) {
    self.snapshot = snapshot
    self.preloader = preloader
    self.log = log
  }

  func begin(live: LiveCatalog, refresher: FeedRefresher) {
    state.withLockedValue { state in
      state.live = live
      state.refresher = refresher
    }
  }

  func begin(_ session: any KernelNotices, in space: InodeSpace) {
    state.withLockedValue { state in
      state.session = session
      state.space = space
    }
    if let live = state.withLockedValue({ $0.live }) { preloader.followPins(of: live) }
  }

  /// Saves the catalog a last time; no notices are sent any more.
  func end() {
    let live = state.withLockedValue { state in
      defer { state = State() }
      return state.live
    }
    passthrough.end()
    guard let live else { return }
    chores.sync { _ = save(live) }
  }

  func changed(_ change: LiveCatalog.Change) {
    switch change {
    case .catalog: saveSoon()
    case .numbers(let then):
      chores.async { [self] in
        if let live = state.withLockedValue({ $0.live }) { save(live) }
        then()
      }
    case .name(let name): session?.nameChanged(name, in: space.root)
    case .title(let name): session?.nameChanged(name, in: space.node(ReservedInode.titles))
    case .listing:
      session?.attributesChanged(of: space.root)
      session?.attributesChanged(of: space.node(ReservedInode.titles))
    case .attributes(let inode): session?.attributesChanged(of: space.node(inode))
    case .size(let size, let inode, let isGreater, let then):
      guard let session else { return then(true) }
      session.sizeProved(size, of: space.node(inode), isGreater: isGreater, then: then)
    case .contents(let inode): session?.contentsChanged(of: space.node(inode))
    case .pins(let inode):
      // Nothing is fetched while there is no mount.
      guard session != nil, let live = state.withLockedValue({ $0.live }) else { return }
      preloader.followPin(of: inode, in: live)
    case .served(let version): settle(version)
    case .idle(let version): chores.async { [self] in flush(version) }
    }
  }

  func happened(_ event: VersionMaker.Event, to inode: UInt64) {
    guard let live = state.withLockedValue({ $0.live }) else { return }
    if case .filled(let event) = event { preloader.happened(event, to: inode, in: live) }
    switch event {
    case .answered(let answer):
      if let number = live.entry(inode: inode)?.number { live.failures.end(of: number) }
      let url = live.version(of: inode)?.origin.url
      live.know(KnownBody(answer, at: WallClock.now()), of: inode, at: url)
      state.withLockedValue { $0.refresher }?.networkIsBack()
    case .filled(.completed):
      live.completed(inode)
      // Its last reader may have closed it by now; then it is already flushed.
      if let version = live.version(of: inode) { settle(version) } else { live.reconsider(inode) }
    case .filled(.superseded):
      log.info("another version at the origin", metadata: ["inode": "\(inode)"])
      live.superseded(inode)
    case .filled(.needsAddress):
      if let version = live.version(of: inode) { renew(version) }
    case .filled(.quiet):
      if let version = live.version(of: inode) { chores.async { [self] in flush(version) } }
    case .filled(.bufferState):
      if live.version(of: inode)?.filler.bufferState == .buffered { live.played(inode) }
    case .filled(.wasWrong(let blocks, let read)):
      session?.contentsChanged(of: space.node(inode))
      live.forgot(inode)
      preloader.followPin(of: inode, in: live)
      guard let entry = live.entry(inode: inode) else { break }
      let bytes = BlockLayout(length: entry.known?.length ?? .max).bytes(of: blocks)
      live.failures.wasWrong(bytes, read: read, of: entry.number, named: entry.name)
    case .filled(.gaveUp): noteFailure(of: inode, in: live)
    case .filled(.played): break
    }
  }

  private func noteFailure(of inode: UInt64, in live: LiveCatalog) {
    guard let version = live.version(of: inode), let name = live.entry(inode: inode)?.name else {
      return
    }
    let origin = version.origin
    live.failures.note(
      origin.trouble ?? "nothing came in time", of: version.number, named: name,
      isHopeless: origin.isHopeless, until: live.failures.end(ofRefusal: origin.sources))
  }

  /// Saves the current catalog before it returns; false if the disk does not take it.
  func saved(_ live: LiveCatalog) -> Bool {
    chores.sync { save(live) }
  }

  /// The reason why the current catalog is not on the disk; nil if nothing prevents the save.
  var trouble: String? {
    state.withLockedValue { $0.trouble }
  }

  // MARK: Saving

  /// Saves the catalog. Only called on `chores`.
  @discardableResult
  private func save(_ live: LiveCatalog) -> Bool {
    // This save replaces a scheduled one.
    state.withLockedValue { $0.isSaving = false }
    let catalog = live.catalog
    do throws(StorageError) {
      let pieces = catalog.snapshot
      try snapshot.write(pieces: pieces.count) { pieces[$0] }
    } catch {
      notSaved(error, waiting: catalog.waitingCount)
      return false
    }
    let wasTrouble = state.withLockedValue { state in
      defer { (state.trouble, state.pause) = (nil, Self.firstPause) }
      return state.trouble != nil
    }
    if wasTrouble { log.info("catalog saved again") }
    live.saved(before: catalog.nextNumber)
    return true
  }

  /// Logs a failure once, and schedules another save: entries that wait are listed by themselves
  /// once there is room.
  private func notSaved(_ error: StorageError, waiting: Int) {
    var why = error.description
    if case .noSpace(let path) = error { why = "\(path): the disk is full; free some space" }
    let (isNews, pause) = state.withLockedValue { [why] state in
      defer {
        state.trouble = why
        state.pause = min(state.pause * 2, Self.longestPause)
      }
      return (state.trouble != why, state.pause)
    }
    if isNews {
      log.warning(
        "catalog not saved", metadata: ["why": "\(why)", "new entries that wait": "\(waiting)"])
    }
    saveSoon(after: pause)
  }

  // MARK: Private

  /// Prepares a complete version for passthrough from the next open on, if the kernel supports it.
  private func settle(_ version: EntryVersion) {
    guard session?.passesThrough ?? false, let file = version.file else { return }
    let tell: @Sendable () -> Void = { [self] in
      state.withLockedValue { $0.live }?.becameSound(version)
    }
    // If the file is already flushed, only the kernel does not know yet.
    if file.isSound { tell() } else { passthrough.add(file, then: tell) }
  }

  private var session: (any KernelNotices)? {
    state.withLockedValue { $0.session }
  }

  private var space: InodeSpace {
    state.withLockedValue { $0.space }
  }

  /// Looks for another address after a refusal: a new one from the resolver or the feed, or another
  /// candidate.
  private func renew(_ version: EntryVersion) {
    guard let refresher = state.withLockedValue({ $0.refresher }) else { return }
    let origin = version.origin
    let refused = origin.url
    // The last reader may close the version before the answer comes.
    Task { [weak filler = version.filler] in
      if await origin.resolveAnew() { filler?.renewed(changed: true); return }
      if !origin.isPage { await refresher.renew(refused) { origin.takeNext() } }
      filler?.renewed(changed: origin.url != refused || origin.takeNext())
    }
  }

  /// Schedules a save, which covers all changes until then.
  private func saveSoon(after pause: Duration = .milliseconds(500)) {
    let isFirst = state.withLockedValue { state in
      defer { state.isSaving = true }
      return !state.isSaving && state.live != nil
    }
    guard isFirst else { return }
    let milliseconds = Int(pause / .milliseconds(1))
    chores.asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { [self] in
      if let live = state.withLockedValue({ $0.isSaving ? $0.live : nil }) { save(live) }
    }
  }

  /// Closes the cache file of a version that is not open any more. The version itself is released
  /// after its last fetch has ended (`.quiet`): to cancel that fetch would cost its connection.
  private func flush(_ version: EntryVersion) {
    if version.filler.isPlayedToEnd { version.file?.wasPlayedToItsEnd() }
    do {
      try version.file?.close()
    } catch {
      log.warning("cache not flushed", metadata: ["why": "\(error)"])
    }
    guard !version.filler.isFetching, let live = state.withLockedValue({ $0.live }) else { return }
    preloader.closed(version, in: live)
    live.forget(version)
  }
}
