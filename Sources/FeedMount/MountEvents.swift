import Dispatch
import Feeds
import Fuse
import Logging
import NIOConcurrencyHelpers
import Storage
import Streaming

/// What follows from what happens in a mount.
///
/// Safe from any thread. Blocking work that nobody waits for is done on `chores`, one thing after the
/// other.
final class MountEvents: Sendable {
  private struct State {
    var live: LiveCatalog?
    var refresher: FeedRefresher?
    var session: FuseSession?
    var space = InodeSpace.whole
    var isSaving = false
    /// Numbers are saved, or being saved, that the catalog does not have yet.
    var isNumbering = false
  }

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

  func begin(_ session: FuseSession, in space: InodeSpace) {
    state.withLockedValue { state in
      state.session = session
      state.space = space
    }
    if let live = state.withLockedValue({ $0.live }) { preloader.followPins(of: live) }
  }

  /// What is to be saved is saved; nobody is told anything any more.
  func end() {
    let live = state.withLockedValue { state in
      defer { state = State() }
      return state.live
    }
    passthrough.end()
    guard let live else { return }
    chores.sync { save(live) }
  }

  func changed(_ change: LiveCatalog.Change) {
    switch change {
    case .catalog: saveSoon()
    case .numbers(let catalog, let then):
      // Before there is a mount nobody can see them.
      guard session != nil else { return then() }
      state.withLockedValue { $0.isNumbering = true }
      chores.async { [self] in
        save(catalog)
        then()
      }
    case .numbered: state.withLockedValue { $0.isNumbering = false }
    case .name(let name): session?.nameChanged(name, in: space.root)
    case .title(let name): session?.nameChanged(name, in: space.node(ReservedInode.titles))
    case .listing:
      session?.attributesChanged(of: space.root)
      session?.attributesChanged(of: space.node(ReservedInode.titles))
    case .attributes(let inode, let then):
      guard let session else { return then() }
      session.attributesChanged(of: space.node(inode), then: then)
    case .contents(let inode): session?.contentsChanged(of: space.node(inode))
    case .pins(let inode):
      // While there is no mount nothing is fetched.
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
      let url = live.version(of: inode)?.origin.url
      live.know(KnownBody(answer, at: MountedFeed.now()), of: inode, at: url)
      state.withLockedValue { $0.refresher }?.networkIsBack()
    case .filled(.completed):
      live.completed(inode, at: MountedFeed.now())
      session?.attributesChanged(of: space.node(inode))
      // Its last reader may be quicker than this, and then it is closed and flushed already.
      if let version = live.version(of: inode) { settle(version) } else { live.reconsider(inode) }
    case .filled(.superseded):
      log.info("another version at the origin", metadata: ["inode": "\(inode)"])
      live.superseded(inode)
    case .filled(.needsAddress):
      if let version = live.version(of: inode) { renew(version) }
    case .filled(.quiet):
      if let version = live.version(of: inode) { chores.async { [self] in flush(version) } }
    case .filled(.mood):
      if live.version(of: inode)?.filler.mood == .calm { live.played(inode) }
    case .filled(.played): break
    }
  }

  /// Saves the catalog at once; blocks on the disk.
  func save(_ live: LiveCatalog) {
    save(live.catalog)
  }

  /// Returns when the catalog as it is has been saved, or what is being saved will be followed by it; false:
  /// the disk does not take it.
  func saved(_ live: LiveCatalog) -> Bool {
    chores.sync {
      state.withLockedValue { $0.isNumbering } || save(live.catalog)
    }
  }

  @discardableResult
  private func save(_ catalog: Catalog) -> Bool {
    do {
      try snapshot.write(catalog.encoded())
      return true
    } catch {
      log.warning("catalog not saved", metadata: ["why": "\(error)"])
      return false
    }
  }

  // MARK: Private

  /// A version that is whole will be read by the kernel itself, where it can, from the next open on.
  private func settle(_ version: EntryVersion) {
    guard session?.passesThrough ?? false, let file = version.file else { return }
    let tell: @Sendable () -> Void = { [self] in
      state.withLockedValue { $0.live }?.becameSound(version)
    }
    // Where it was flushed for another reason, only the kernel does not know yet.
    if file.isSound { tell() } else { passthrough.add(file, then: tell) }
  }

  private var session: FuseSession? {
    state.withLockedValue { $0.session }
  }

  private var space: InodeSpace {
    state.withLockedValue { $0.space }
  }

  /// An address was refused: the feed may know a newer one, or another that will do.
  private func renew(_ version: EntryVersion) {
    guard let refresher = state.withLockedValue({ $0.refresher }) else { return }
    let origin = version.origin
    let refused = origin.url
    // Nobody may have it open any more when there is an answer.
    Task { [weak filler = version.filler] in
      if await origin.resolveAnew() { filler?.renewed(changed: true); return }
      if !origin.isPage { await refresher.renew() }
      filler?.renewed(changed: origin.url != refused || origin.takeNext())
    }
  }

  /// Together with whatever else changes until then.
  private func saveSoon() {
    let isFirst = state.withLockedValue { state in
      defer { state.isSaving = true }
      return !state.isSaving && state.live != nil
    }
    guard isFirst else { return }
    chores.asyncAfter(deadline: .now() + .milliseconds(500)) { [self] in
      let live = state.withLockedValue { state in
        state.isSaving = false
        // It would take away again what was saved for those numbers.
        return state.isNumbering ? nil : state.live
      }
      if let live { save(live) }
    }
  }

  /// Closes the cache file of a version that nobody has open. It is let go of when the last bytes have
  /// come of what was let run out (`.quiet`): to end that would cost its connection.
  private func flush(_ version: EntryVersion) {
    if version.filler.snapshot.isPlayedToEnd { version.file?.wasPlayedToItsEnd() }
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
