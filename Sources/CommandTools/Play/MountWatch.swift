import Playback

/// Watches a mount while it is played. `look` is called each second. It reads the status and the
/// listing of the mount less often if that takes long, but always reads the listing right after a
/// change.
struct MountWatch {
  /// The number of checks after a change in which the listing is read. The time of a change is in
  /// whole seconds, so another change within the same second would not show.
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

  /// Checks the mount. Returns the news of it.
  ///
  /// - Parameter playing: the path of the file that plays; nil if none does.
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
    // A folder that is missing may have another name now, which the status tells.
    if now == nil { status.end() }
    looksSinceChange = now == stamp ? looksSinceChange + 1 : 0
    stamp = now
    if looksSinceChange < Self.doubt { listing.end() }
    return events + [.listed(listing.take { try? mount.listing(of: folders) } ?? nil)]
  }
}

/// Spends at most a twentieth of the time on a slow task, because the status of 10,000 entries is
/// long.
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
