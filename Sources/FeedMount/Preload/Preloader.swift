import Blocks
import Filling
import Locks
import Storage

/// Fetches bytes before any reader asks for them, as long as no reader is starved. `PreloadPlan`
/// decides which bytes.
///
/// One preloader serves all feeds of a mount, because they share its network connection. Safe from
/// any thread. Work that can block on the disk runs on the thread of `timekeeper`, one task after
/// the other. Background fetches end at once when a reader becomes starved, even if that thread is
/// blocked.
final class Preloader: Sendable {
  /// Identifies a version of an entry in one of the feeds.
  struct Name: Hashable, Sendable {
    let feed: ObjectIdentifier
    let inode: UInt64
  }

  /// A version that is open for preloading, and the catalog that has it.
  struct Opened: Sendable {
    let version: EntryVersion
    let live: LiveCatalog
    /// The parts that the filler was last told to fetch. `stop` sets nil, so that the next `follow`
    /// tells the filler again: a `follow` that runs at the same time can call the filler after
    /// `stop`.
    var parts: [Part]? = []
  }

  struct State {
    var plan = PreloadPlan<Name>()
    /// Versions that are open for preloading.
    var opened: [Name: Opened] = [:]
    var feeds: [ObjectIdentifier: LiveCatalog] = [:]
    /// The time at which each request for a whole file expires. A command can repeat the request.
    var asked: [Name: Duration] = [:]
    /// Files that cannot be fetched. The waiting command is told so until the given time.
    var failed: [Name: Duration] = [:]
    var rounds = PreloadTimer()
    /// The time at which the next round begins; nil if none is scheduled.
    var nextRound: Duration?
    /// Backoffs of pinned files whose bytes arrived but could not be written to the disk.
    var pinBackoffs = PinBackoff<Name>()
    var slow = SlowBodies<Name>()
    /// The feeds that leave the mount. None of their files is preloaded.
    var leaving: Set<ObjectIdentifier> = []
    var hasEnded = false
  }

  /// The number of entries to preload after the entry that plays.
  private static let reach = 2
  /// The lifetime of a command's request for a whole file. A waiting command asks twice a second.
  /// So the request expires soon after the command has ended.
  private static let timeout: Duration = .seconds(4)

  let timekeeper: any Timekeeper
  let state = Locked(State())

  /// - Parameter timekeeper: a clock for the preloader alone, because the disk can block its
  ///   thread.
  init(_ timekeeper: any Timekeeper) {
    self.timekeeper = timekeeper
  }

  /// Handles an event of a version of `live`.
  func happened(_ event: EntryFiller.Event, to inode: UInt64, in live: LiveCatalog) {
    let name = Name(feed: ObjectIdentifier(live), inode: inode)
    switch event {
    case .bufferState:
      if live.version(of: inode)?.filler.bufferState == .starved { stop() }
      change(live) { Self.note(name, in: live, &$0) }
    case .played: change(live) { $0.wantsAll(of: name) }
    case .completed:
      if live.version(of: inode)?.file?.isWhole ?? false {
        state.withLock { $0.pinBackoffs.end(name) }
      }
      change(live) { Self.noteCompletion(of: name, live.version(of: inode), &$0) }
    case .becameStale: change(live) { $0.isDone(with: name) }
    case .gaveUp:
      // The waiting command is told of the failure. The command asks again if that can help.
      guard live.version(of: inode)?.origin.isHopeless ?? false else { break }
      let end = timekeeper.now + Self.timeout
      state.withLock { state in
        if state.asked.removeValue(forKey: name) != nil { state.failed[name] = end }
      }
      change(live) { $0.release(name, as: .asked) }
    case .needsAddress, .quiet, .wasWrong, .grows, .grew, .foundIndex, .refusedTail: break
    }
  }

  /// Acts on a change of the version with `inode`: it was pinned or unpinned, or it has lost cached
  /// bytes.
  func followPin(of inode: UInt64, in live: LiveCatalog) {
    state.withLock { $0.pinBackoffs.end(Name(feed: ObjectIdentifier(live), inode: inode)) }
    followPins(of: live)
  }

  /// Fetches the pinned entries of `live`, except those that are complete or in backoff.
  func followPins(of live: LiveCatalog) {
    change(live) { [self] plan in
      let wanted = pins(of: live)
      let feed = ObjectIdentifier(live)
      for name in plan.wanted(because: .pinned) where name.feed == feed && !wanted.contains(name) {
        plan.release(name, as: .pinned)
      }
      for name in wanted { plan.wantsAll(of: name, because: .pinned) }
    }
  }

  /// Notes whether the network is metered from now on.
  func meter(_ isMetered: Bool) {
    timekeeper.call(after: .zero) { [self] in
      change { $0.isMetered = isMetered }
      follow()
      waitForNextRound()
    }
  }

  /// Notes that `version` of `live` is closed and flushed. If it is pinned and the disk did not
  /// take all of its bytes, it is fetched again after a backoff.
  func closed(_ version: EntryVersion, in live: LiveCatalog) {
    let name = Name(feed: ObjectIdentifier(live), inode: version.inode)
    // A pinned file that was complete is not in the plan any more, perhaps since an earlier
    // process. A failing disk might have lost bytes of such a file.
    let isForgotten = state.withLock { !$0.plan.wanted(because: .pinned).contains(name) }
    guard live.entry(inode: version.inode).map(live.isWanted) ?? false, let file = version.file,
      version.filler.isComplete || isForgotten, !file.isWhole
    else { return }
    backOff([name])
    followPins(of: live)
  }

  /// Fetches the versions of `live` with these inodes for a waiting command. The request expires
  /// after 4 s unless the command repeats it.
  func ask(for inodes: [UInt64], in live: LiveCatalog) {
    let names = inodes.map { Name(feed: ObjectIdentifier(live), inode: $0) }
    let end = timekeeper.now + Self.timeout
    let isNew = state.withLock { state in
      for name in names {
        state.asked[name] = end
        state.failed[name] = nil
      }
      let known = state.plan.wanted(because: .asked)
      return names.contains { !known.contains($0) }
    }
    guard isNew else { return }
    change(live) { plan in
      for name in names { plan.wantsAll(of: name, because: .asked) }
    }
  }

  /// Returns true if a command waits for the whole version with `inode`, or if such a request has
  /// failed in the last 4 s.
  func wasAsked(for inode: UInt64, in live: LiveCatalog) -> Bool {
    let name = Name(feed: ObjectIdentifier(live), inode: inode)
    let now = timekeeper.now
    return state.withLock { state in
      state.asked[name] != nil || state.failed[name].map { $0 > now } ?? false
    }
  }

  /// Stops preloading for `live` and closes its files, because its feed leaves the mount.
  func leave(_ live: LiveCatalog) {
    let feed = ObjectIdentifier(live)
    state.withLock { state in
      state.leaving.insert(feed)
      for name in state.asked.keys where name.feed == feed { state.asked[name] = nil }
    }
    timekeeper.call(after: .zero) { [self] in
      guard state.withLock({ $0.leaving.contains(feed) }) else { return }
      change { $0.forget { $0.feed == feed } }
      follow()
    }
  }

  /// Preloads files of `live` again, because its feed stays after all.
  func stay(_ live: LiveCatalog) {
    state.withLock { _ = $0.leaving.remove(ObjectIdentifier(live)) }
    followPins(of: live)
  }

  /// Forgets `live`, whose feed has left the mount and has ended.
  func forget(_ live: LiveCatalog) {
    let feed = ObjectIdentifier(live)
    timekeeper.call(after: .zero) { [self] in
      change { $0.forget { $0.feed == feed } }
      follow()
      state.withLock { state in
        state.feeds[feed] = nil
        state.leaving.remove(feed)
        for name in state.failed.keys where name.feed == feed { state.failed[name] = nil }
      }
      // Keeps `live` alive until here. Once it is gone, another catalog can get its identifier.
      withExtendedLifetime(live) {}
    }
  }

  /// Stops all preloading and closes its files.
  func end() {
    let opened = state.withLock { state in
      state.hasEnded = true
      defer { (state.opened, state.feeds) = ([:], [:]) }
      return state.opened.values
    }
    for opened in opened { opened.live.closed(opened.version) }
  }

  // MARK: Private

  private func stop() {
    let versions = state.withLock { state in
      // `follow` can be about to tell a filler its parts. Nil makes the next `follow` tell the
      // filler again.
      for name in state.opened.keys { state.opened[name]?.parts = nil }
      return state.opened.values.map(\.version)
    }
    for version in versions { version.filler.preload([]) }
  }

  /// Changes the plan on the thread of `timekeeper`, one change after the other. The lock is not
  /// held while `body` runs, because `body` reads objects that have locks of their own.
  private func change(
    _ live: LiveCatalog, _ body: @escaping @Sendable (inout PreloadPlan<Name>) -> Void
  ) {
    timekeeper.call(after: .zero) { [self] in
      let isOver = state.withLock { state in
        let isOver = state.hasEnded || state.leaving.contains(ObjectIdentifier(live))
        if !isOver { state.feeds[ObjectIdentifier(live)] = live }
        return isOver
      }
      guard !isOver else { return }
      change(body)
      follow()
      waitForNextRound()
    }
  }

  func change(_ body: (inout PreloadPlan<Name>) -> Void) {
    var plan = state.withLock { $0.plan }
    body(&plan)
    state.withLock { [plan] in $0.plan = plan }
  }

  /// Notes the current buffer state of the version, which can be newer than the event that led
  /// here.
  private static func note(
    _ name: Name, in live: LiveCatalog, _ plan: inout PreloadPlan<Name>
  ) {
    let bufferState = live.version(of: name.inode)?.filler.bufferState ?? .idle
    plan.noted(bufferState, of: name) {
      live.following(name.inode, count: reach).map { Name(feed: name.feed, inode: $0) }
    }
  }

  /// Notes that all bytes of `version` have arrived; nil if the version is not open. If some bytes
  /// are only in memory, its pin stays in the plan, because these bytes will be lost.
  static func noteCompletion(
    of name: Name, _ version: EntryVersion?, _ plan: inout PreloadPlan<Name>
  ) {
    // An empty version needs no cache file.
    guard let version, version.filler.representation?.length != 0 else {
      return plan.isDone(with: name)
    }
    if version.file?.isWhole ?? false { plan.isDone(with: name) } else { plan.isThere(name) }
  }
}
