import Filling
import Locks
import Resolving
import Storage

/// Does what the plan says: opens files, and has their parts fetched.
extension Preloader {
  /// Opens the files that the plan names, and closes all other files. Then requests the planned
  /// parts. Runs on the thread of `timekeeper` only.
  func follow() {
    let unwanted = state.withLock { state -> [Opened] in
      let names = state.plan.names
      let unwanted = state.opened.keys.filter { !names.contains($0) || state.hasEnded }
      return unwanted.compactMap { state.opened.removeValue(forKey: $0) }
    }
    for opened in unwanted {
      opened.version.filler.preload([])
      opened.live.closed(opened.version)
    }
    // If a file turns out to be complete, the plan names another file in its place.
    var tried: Set<Name> = []
    while let (name, live) = missing(besides: tried) {
      tried.insert(name)
      hold(name, in: live)
    }
    let wanted = state.withLock { state in
      let parts = state.plan.parts
      return state.opened.keys.compactMap { name -> (EntryVersion, [Part])? in
        let wanted = parts[name] ?? []
        guard let opened = state.opened[name], opened.parts != wanted else { return nil }
        state.opened[name]?.parts = wanted
        return (opened.version, wanted)
      }
    }
    for (version, parts) in wanted { version.filler.preload(parts) }
  }

  /// Returns a file that the plan names and that is not open, unless it is in `tried`.
  private func missing(besides tried: Set<Name>) -> (Name, LiveCatalog)? {
    state.withLock { state in
      guard !state.hasEnded else { return nil }
      for name in state.plan.names where state.opened[name] == nil && !tried.contains(name) {
        if let live = state.feeds[name.feed] { return (name, live) }
      }
      return nil
    }
  }

  /// Opens the file, unless it needs no more bytes. The plan learns here that a version is complete
  /// or stale, because such a version sends no event. If the disk refuses the cache file, the next
  /// round tries again.
  private func hold(_ name: Name, in live: LiveCatalog) {
    let version = try? live.open(name.inode)
    guard let version, !version.filler.isComplete else {
      change { Self.noteCompletion(of: name, version, &$0) }
      if let version { live.closed(version) }
      return
    }
    if state.withLock({ $0.asked[name] != nil }) { version.origin.serve(.player) }
    let canBeCached = version.canBeCached
    let isKept = state.withLock { state in
      guard !state.hasEnded, canBeCached || !state.plan.filled.contains(name) else { return false }
      state.opened[name] = Opened(version: version, live: live)
      return true
    }
    if !isKept { live.closed(version) }
  }
}
