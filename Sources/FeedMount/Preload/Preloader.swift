import Blocks
import Feeds
import NIOConcurrencyHelpers
import Storage
import Streaming

/// Has things fetched before anybody asks for them, while nobody is in a hurry: see `PreloadPlan`.
///
/// One for all feeds of a mount, since they share its line. Safe from any thread. What may block on the
/// disk is done on the thread of `timekeeper`, one thing after the other, but nothing is waited for when a
/// reader comes to be in a hurry: fetches for nobody end at once.
final class Preloader: Sendable {
  /// An entry's version, in one of the feeds.
  struct Name: Hashable, Sendable {
    let feed: ObjectIdentifier
    let inode: UInt64
  }

  struct Held: Sendable {
    let version: EntryVersion
    let live: LiveCatalog
    /// What is asked of it.
    var parts: [Part] = []
  }

  struct State {
    var plan = PreloadPlan<Name>()
    /// Those that are kept open for it.
    var held: [Name: Held] = [:]
    var feeds: [ObjectIdentifier: LiveCatalog] = [:]
    /// Until when somebody asks for all of a file, unless he does so again.
    var asked: [Name: Duration] = [:]
    /// Files that could not be had, and until when the command that asked knows it.
    var failed: [Name: Duration] = [:]
    var rounds = PreloadRounds()
    /// When the next round begins.
    var nextRound: Duration?
    /// Pinned, and not kept though it had come.
    var rests = Rests<Name>()
    var hasEnded = false
  }

  /// So many entries behind the one that plays.
  private static let reach = 2
  /// How long all of a file is fetched for somebody who asks for it, after he did so last: whoever waits
  /// for it asks twice a second, and when he is gone nobody wants it any more.
  private static let patience: Duration = .seconds(4)

  let timekeeper: any Timekeeper
  let state = NIOLockedValueBox(State())

  /// - Parameter timekeeper: nobody else's, since it may be kept waiting by the disk.
  init(_ timekeeper: any Timekeeper) {
    self.timekeeper = timekeeper
  }

  /// What a version of `live` has to say.
  func happened(_ event: EntryFiller.Event, to inode: UInt64, in live: LiveCatalog) {
    let name = Name(feed: ObjectIdentifier(live), inode: inode)
    switch event {
    case .mood:
      if live.version(of: inode)?.filler.mood == .hurried { stop() }
      change(live) { Self.note(name, in: live, &$0) }
    case .played: change(live) { $0.wantsAll(of: name) }
    case .completed:
      if live.version(of: inode)?.file?.isWhole ?? false {
        state.withLockedValue { $0.rests.end(name) }
      }
      change(live) { Self.noteCompletion(of: name, live.version(of: inode), &$0) }
    case .superseded: change(live) { $0.isDone(with: name) }
    case .gaveUp:
      // The command that asked for it is told, and asks again if that is any use.
      guard live.version(of: inode)?.origin.isHopeless ?? false else { break }
      let end = timekeeper.now + Self.patience
      state.withLockedValue { state in
        if state.asked.removeValue(forKey: name) != nil { state.failed[name] = end }
      }
      change(live) { $0.release(name, as: .asked) }
    case .needsAddress, .quiet, .wasWrong: break
    }
  }

  /// The version with `inode` is pinned or no longer, or not all of it is kept any more.
  func followPin(of inode: UInt64, in live: LiveCatalog) {
    state.withLockedValue { $0.rests.end(Name(feed: ObjectIdentifier(live), inode: inode)) }
    followPins(of: live)
  }

  /// Fetches what is pinned in `live`, as far as it is not kept and does not rest.
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

  /// `version` of `live` is closed and flushed. What the disk has not taken of it, though all had come, is
  /// fetched again if it is pinned, after a rest.
  func closed(_ version: EntryVersion, in live: LiveCatalog) {
    guard live.entry(inode: version.inode)?.isPinned ?? false, let file = version.file,
      version.filler.snapshot.isComplete, !file.isWhole
    else { return }
    rest([Name(feed: ObjectIdentifier(live), inode: version.inode)])
    followPins(of: live)
  }

  /// Somebody waits for all of these versions of `live`; he has to say so again and again.
  func ask(for inodes: [UInt64], in live: LiveCatalog) {
    let names = inodes.map { Name(feed: ObjectIdentifier(live), inode: $0) }
    let end = timekeeper.now + Self.patience
    let isNew = state.withLockedValue { state in
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

  /// Whether somebody has asked for all of the version of `live` with `inode` a moment ago, be it in vain.
  func wasAsked(for inode: UInt64, in live: LiveCatalog) -> Bool {
    let name = Name(feed: ObjectIdentifier(live), inode: inode)
    let now = timekeeper.now
    return state.withLockedValue { state in
      state.asked[name] != nil || state.failed[name].map { $0 > now } ?? false
    }
  }

  /// Nothing is fetched for nobody any more, and nothing kept open.
  func end() {
    let held = state.withLockedValue { state in
      state.hasEnded = true
      defer { (state.held, state.feeds) = ([:], [:]) }
      return state.held.values
    }
    for held in held { held.live.closed(held.version) }
  }

  // MARK: Private

  private func stop() {
    let versions = state.withLockedValue { state in
      for name in state.held.keys { state.held[name]?.parts = [] }
      return state.held.values.map(\.version)
    }
    for version in versions { version.filler.preload([]) }
  }

  /// Changes the plan in its turn, one change after the other; not under the lock, since what is looked
  /// at for it has locks of its own.
  private func change(
    _ live: LiveCatalog, _ body: @escaping @Sendable (inout PreloadPlan<Name>) -> Void
  ) {
    timekeeper.call(after: .zero) { [self] in
      let isOver = state.withLockedValue { state in
        if !state.hasEnded { state.feeds[ObjectIdentifier(live)] = live }
        return state.hasEnded
      }
      guard !isOver else { return }
      change(body)
      follow()
      waitForNextRound()
    }
  }

  func change(_ body: (inout PreloadPlan<Name>) -> Void) {
    var plan = state.withLockedValue { $0.plan }
    body(&plan)
    state.withLockedValue { [plan] in $0.plan = plan }
  }

  /// Notes the mood that it has now: whoever told of it may have been overtaken.
  private static func note(
    _ name: Name, in live: LiveCatalog, _ plan: inout PreloadPlan<Name>
  ) {
    let mood = live.version(of: name.inode)?.filler.mood ?? .idle
    plan.noted(mood, of: name) {
      live.following(name.inode, count: reach).map { Name(feed: name.feed, inode: $0) }
    }
  }

  /// What is in memory is there as well, but not to stay.
  private static func noteCompletion(
    of name: Name, _ version: EntryVersion?, _ plan: inout PreloadPlan<Name>
  ) {
    // What has no byte needs no file.
    guard let version, version.filler.representation?.length != 0 else {
      return plan.isDone(with: name)
    }
    if version.file?.isWhole ?? false { plan.isDone(with: name) } else { plan.isThere(name) }
  }

  // MARK: What the plan says

  /// Opens what the plan names, closes what it does not, and asks for the parts; in its turn only.
  func follow() {
    let unwanted = state.withLockedValue { state -> [Held] in
      let names = state.plan.names
      let unwanted = state.held.keys.filter { !names.contains($0) || state.hasEnded }
      return unwanted.compactMap { state.held.removeValue(forKey: $0) }
    }
    for held in unwanted {
      held.version.filler.preload([])
      held.live.closed(held.version)
    }
    // One that turns out to be complete makes room for another.
    var tried: Set<Name> = []
    while let (name, live) = missing(besides: tried) {
      tried.insert(name)
      hold(name, in: live)
    }
    let wanted = state.withLockedValue { state in
      let parts = state.plan.parts
      return state.held.keys.compactMap { name -> (EntryVersion, [Part])? in
        let wanted = parts[name] ?? []
        guard let held = state.held[name], held.parts != wanted else { return nil }
        state.held[name]?.parts = wanted
        return (held.version, wanted)
      }
    }
    for (version, parts) in wanted { version.filler.preload(parts) }
  }

  /// One that the plan names and that is not open.
  private func missing(besides tried: Set<Name>) -> (Name, LiveCatalog)? {
    state.withLockedValue { state in
      guard !state.hasEnded else { return nil }
      for name in state.plan.names where state.held[name] == nil && !tried.contains(name) {
        if let live = state.feeds[name.feed] { return (name, live) }
      }
      return nil
    }
  }

  /// Opens it, unless nothing is wanted of it any more: what is complete already, or of a version that was
  /// replaced, will not say so. What is wanted as a whole waits for the next round if the disk refuses it.
  private func hold(_ name: Name, in live: LiveCatalog) {
    let version = try? live.open(name.inode)
    guard let version, !version.filler.snapshot.isComplete else {
      change { Self.noteCompletion(of: name, version, &$0) }
      if let version { live.closed(version) }
      return
    }
    let canBeKept = version.canBeKept
    let isKept = state.withLockedValue { state in
      guard !state.hasEnded, canBeKept || !state.plan.filled.contains(name) else { return false }
      state.held[name] = Held(version: version, live: live)
      return true
    }
    if !isKept { live.closed(version) }
  }
}
