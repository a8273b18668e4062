import Playback

/// Watches a mount while it is played. `look` is called each second. If it takes long to read the
/// status or the listing of the mount, `look` reads it less often. But it always reads the listing
/// right after a change.
struct MountWatch {
  /// How many calls of `look` after a change read the listing in any case. The time of a change is
  /// in whole seconds, so it does not show a second change within the same second.
  private static let doubt = 3

  private let mount: PlayedMount
  private var stamp: [Int]? = []
  private var looksSinceChange = 0
  private var listing = RateLimiter()
  private var status = RateLimiter()
  private var outlook: PlayedMount.Outlook

  init(_ mount: PlayedMount) {
    self.mount = mount
    outlook = PlayedMount.Outlook(folders: mount.folders)
  }

  /// Checks the mount, and returns what has changed as events for the `PlayQueue`.
  ///
  /// - Parameter playing: the path of the file that is playing; nil if none is.
  mutating func look(playing: String?) -> [PlayEvent] {
    let mount = mount
    var events: [PlayEvent] = []
    if let new = status.take({ try? mount.outlook() }) ?? nil {
      if new.folders != outlook.folders { looksSinceChange = 0 }
      outlook = new
      events += [.whole(new.whole), .condition(new.condition)]
    }
    if let playing {
      events.append(mount.supply(of: playing, away: outlook.away).map { .supplied($0) } ?? .silent)
    }
    let folders = outlook.folders
    let now = mount.stamp(of: folders)
    // If a folder is missing, it may have been renamed. So the next call reads the status, which
    // has its new name.
    if now == nil { status.end() }
    looksSinceChange = now == stamp ? looksSinceChange + 1 : 0
    stamp = now
    if looksSinceChange < Self.doubt { listing.end() }
    return events + [.listed(listing.take { try? mount.listing(of: folders) } ?? nil)]
  }
}

/// Limits a slow task to about a twentieth of the time, because a status can have 10,000 entries.
private struct RateLimiter {
  private var next = ContinuousClock.now

  mutating func take<Outcome>(_ body: () -> Outcome) -> Outcome? {
    let start = ContinuousClock.now
    guard start >= next else { return nil }
    defer { next = start + start.duration(to: .now) * 20 }
    return body()
  }

  mutating func end() {
    next = .now
  }
}
