import Dispatch
import Feeds
import NIOConcurrencyHelpers
import Streaming

/// Has things fetched before anybody asks for them, while nobody is in a hurry: see `PreloadPlan`.
///
/// One for all feeds of a mount, since they share its line. Safe from any thread. What may block on the
/// disk is done on `queue`, but nothing is waited for when a reader comes to be in a hurry: fetches for
/// nobody end at once.
final class Preloader: Sendable {
  /// An entry's version, in one of the feeds.
  private struct Name: Hashable, Sendable {
    let feed: ObjectIdentifier
    let inode: UInt64
  }

  private struct Held: Sendable {
    let version: EntryVersion
    let live: LiveCatalog
  }

  private struct State {
    var plan = PreloadPlan<Name>()
    /// Those that are kept open for it.
    var held: [Name: Held] = [:]
    var feeds: [ObjectIdentifier: LiveCatalog] = [:]
    var hasEnded = false
  }

  /// So many entries behind the one that plays.
  private static let reach = 2

  private let queue = DispatchQueue(label: "feedfs.preloader")
  private let state = NIOLockedValueBox(State())

  /// What a version of `live` has to say.
  func happened(_ event: EntryFiller.Event, to inode: UInt64, in live: LiveCatalog) {
    let name = Name(feed: ObjectIdentifier(live), inode: inode)
    switch event {
    case .mood:
      if live.version(of: inode)?.filler.mood == .hurried { stop() }
      change(live) { Self.note(name, in: live, &$0) }
    case .played: change(live) { $0.wantsAll(of: name) }
    case .completed, .superseded: change(live) { $0.isDone(with: name) }
    case .needsAddress, .quiet: break
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
    let versions = state.withLockedValue { $0.held.values.map(\.version) }
    for version in versions { version.filler.preload([]) }
  }

  /// Changes the plan on the queue, one change after the other; not under the lock, since what is looked
  /// at for it has locks of its own.
  private func change(
    _ live: LiveCatalog, _ body: @escaping @Sendable (inout PreloadPlan<Name>) -> Void
  ) {
    queue.async { [self] in
      let isOver = state.withLockedValue { state in
        if !state.hasEnded { state.feeds[ObjectIdentifier(live)] = live }
        return state.hasEnded
      }
      guard !isOver else { return }
      var plan = state.withLockedValue { $0.plan }
      body(&plan)
      state.withLockedValue { [plan] in $0.plan = plan }
      follow()
    }
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

  /// Opens what the plan names, closes what it does not, and asks for the parts; on the queue only.
  private func follow() {
    let (missing, unwanted) = state.withLockedValue { state -> ([(Name, LiveCatalog)], [Held]) in
      guard !state.hasEnded else { return ([], []) }
      let names = state.plan.names
      let unwanted = state.held.keys.filter { !names.contains($0) }
      let missing = names.compactMap { name -> (Name, LiveCatalog)? in
        guard state.held[name] == nil, let live = state.feeds[name.feed] else { return nil }
        return (name, live)
      }
      return (missing, unwanted.compactMap { state.held.removeValue(forKey: $0) })
    }
    for held in unwanted {
      held.version.filler.preload([])
      held.live.closed(held.version)
    }
    for (name, live) in missing { hold(name, in: live) }
    let wanted = state.withLockedValue { state in
      let parts = state.plan.parts
      return state.held.map { ($0.value.version, parts[$0.key] ?? []) }
    }
    for (version, parts) in wanted { version.filler.preload(parts) }
  }

  private func hold(_ name: Name, in live: LiveCatalog) {
    guard let version = try? live.open(name.inode) else { return }
    // Of what is complete already nobody will tell that it is.
    let isComplete = version.filler.snapshot.isComplete
    let isKept = state.withLockedValue { state in
      if isComplete { state.plan.isDone(with: name) }
      guard !state.hasEnded, !isComplete else { return false }
      state.held[name] = Held(version: version, live: live)
      return true
    }
    if !isKept { live.closed(version) }
  }
}
