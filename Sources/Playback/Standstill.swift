import FeedReading

/// Decides what a player does while the bytes of its file do not come.
///
/// The player is paused before it comes to missing bytes, because a player that waits in a read can
/// neither seek nor quit. A separate program reads one missing byte (`.probe`), to find out when
/// bytes come again. Then the player goes on, or opens the same file again if one of its reads has
/// failed meanwhile.
package struct Standstill: Hashable, Sendable {
  /// A file that ended with an error.
  struct Lost: Hashable, Sendable {
    let path: String
    /// The position at which the file goes on, in seconds.
    let seconds: Double
    /// About where this position is in the file, in bytes; nil if it is not known.
    let byte: Int?
  }

  private var supply: Supply?
  /// True if the mount gave no answer when it was last asked how the bytes come.
  private var isSilent = false
  /// The cached bytes ahead of the picture.
  private var front: Supply.Front?
  /// Seconds since an arbitrary start.
  private(set) var now = 0
  /// The time since which the picture stands still, or a read waits; nil if neither happens.
  private var since: Int?
  /// True if the player was paused by `.hold`.
  private(set) var isHeld = false
  /// True if the user has paused the player.
  private var isPausedByUser = false
  private(set) var lost: Lost?
  /// True if bytes were missing since the file was opened. Then one of the player's reads may have
  /// failed, and the player may take that for the end.
  private(set) var hasStood = false
  private var isProbing = false
  private var nextProbe = 0
  /// The number of looks (`.look`) that the player has not answered yet. Its answer sets this to 0.
  private var silence = 0

  /// Seconds of playing time that the player buffers by itself.
  package static let buffer = 5
  /// If fewer seconds of playing time than this are cached beyond the player's buffer, the player
  /// is paused. It is more than a second, because the supply is checked only once a second.
  private static let minSupply = 4
  /// The seconds of playing time that must be cached in addition to `minSupply` before a paused
  /// player goes on.
  private static let leeway = 3
  /// The size in bytes of the kernel's reads. Such a read is answered only when all of its bytes
  /// are there.
  private static let margin = 256 << 10
  /// The size in bytes of a block. The mount counts a block as cached only when all bytes of the
  /// block are cached.
  private static let block = 64 << 10
  /// For this many seconds, missing bytes are requested every second. After that they are requested
  /// every half minute, because the user may have left.
  static let eagerSeconds = 600
  private static let probePauses = (short: 1, long: 30)
  /// The number of unanswered looks, a quarter of a second apart, after which the player counts as
  /// hanging in a read.
  private static let maxSilence = 2

  /// True if the file at `path` has ended at `place` because bytes did not come.
  func isBroken(_ path: String, at place: Place) -> Bool {
    place.isCutShort && (hasStood || supply.map { $0.path == path && $0.isCut } ?? false)
  }

  /// True if `path` is known to be cached as a whole.
  func isWhole(_ path: String) -> Bool {
    supply.map { $0.path == path && $0.isWhole } ?? false
  }

  /// True if the user has turned the mount offline.
  var isOffline: Bool { supply?.condition == .offline }

  // MARK: Events

  /// Takes news about the bytes of the file that plays. `place` is the player's position.
  mutating func supplied(_ new: Supply, at place: Place, isLoaded: Bool) -> [PlayAction] {
    let front = new.front(of: lost.map(\.byte) ?? place.byte)
    let isStuck =
      new.isWaiting && supply?.path == new.path && supply?.isWaiting == true
      && self.front?.edge == front?.edge
    (supply, isSilent) = (new, false)
    self.front = front
    guard lost == nil else { return [] }
    if isHeld {
      let mayGoOn = new.isHopeless && !new.isCut || !isLow(at: place, leeway: Self.leeway)
      return mayGoOn ? goOn() : []
    }
    if new.isCut, isLow(at: place), isLoaded, !isPausedByUser {
      isHeld = true
      stand()
      return [.hold(true)]
    }
    if isStuck {
      stand()
    } else {
      since = nil
    }
    return []
  }

  /// Notes that the mount gave no answer.
  mutating func silent() {
    isSilent = true
  }

  /// Notes that a second has passed. While the picture stands still, returns the orders to show the
  /// reason and to probe for a missing byte.
  mutating func second(_ now: Int) -> [PlayAction] {
    self.now = now
    // If a read has waited for less than a second, there is no message yet.
    guard let since, now > since else { return [] }
    return [.tell(words(since: since))] + probe()
  }

  /// Asks whether the player wants to leave its file. If the player has not answered for a while,
  /// returns the order to end its waiting reads instead.
  mutating func asked() -> [PlayAction] {
    silence += 1
    guard silence > Self.maxSilence, since != nil else { return [.ask] }
    silence = 0
    return [.release]
  }

  /// Takes the player's answer to `.ask`. A player that waits in a read cannot leave its file
  /// before the read ends.
  mutating func answered(isStopping: Bool) -> [PlayAction] {
    silence = 0
    return isStopping ? [.release] : []
  }

  /// Notes that the user seeks. A read that waits at the old position would delay the seek.
  func sought() -> [PlayAction] {
    since != nil && supply?.isWaiting == true ? [.release] : []
  }

  /// Notes that the player was paused, or goes on.
  mutating func paused(_ isPaused: Bool) {
    guard isHeld else {
      isPausedByUser = isPaused
      return
    }
    // The user wants to go on, as far as bytes are cached.
    if !isPaused { isHeld = false }
  }

  /// Notes that the file at `path` ended with an error at `place`.
  mutating func lost(_ path: String, at place: Place) -> [PlayAction] {
    let byte = place.byte ?? place.byte(of: supply?.size)
    lost = Lost(path: path, seconds: place.seconds, byte: byte)
    front = supply?.front(of: byte)
    stand()
    return probe()
  }

  /// Takes the answer to `.probe`: whether a byte of the file at `path` came.
  mutating func probed(_ path: String, _ hasCome: Bool) -> [PlayAction] {
    guard isProbing, path == supply?.path else { return [] }
    isProbing = false
    guard !hasCome, supply?.isHopeless != true else { return goOn() }
    nextProbe =
      now
      + (now - (since ?? now) < Self.eagerSeconds ? Self.probePauses.short : Self.probePauses.long)
    return []
  }

  /// Forgets the file that played, because another one is opened. Returns the order to go on, if
  /// the player was paused because bytes were missing.
  mutating func left() -> [PlayAction] {
    let orders = (isHeld ? [.hold(false)] : []) + endProbe()
    let (now, isPausedByUser) = (now, isPausedByUser)
    self = Standstill()
    (self.now, self.isPausedByUser) = (now, isPausedByUser)
    return orders
  }

  /// Notes that the file that plays is at `path` now. Returns the order to end a probe at its
  /// former path.
  mutating func moved(to path: String) -> [PlayAction] {
    supply?.path = path
    if let lost { self.lost = Lost(path: path, seconds: lost.seconds, byte: lost.byte) }
    return endProbe()
  }

  /// Notes that the player shows its file again after an error, because the user has sought in it.
  mutating func wasFound() -> [PlayAction] {
    guard lost != nil else { return [] }
    lost = nil
    guard !isHeld else { return [] }
    since = nil
    return endProbe()
  }

  // MARK: Private

  /// True if the player will soon come to missing bytes.
  private func isLow(at place: Place, leeway: Int = 0) -> Bool {
    guard let front, let supply else { return false }
    let rate = supply.rate ?? place.byte(of: supply.size, at: 1) ?? 0
    let seconds = (place.byte == nil ? 0 : Self.buffer) + Self.minSupply + leeway
    return front.ahead - Self.margin < max(seconds * rate, Self.margin)
  }

  private mutating func stand() {
    hasStood = true
    since = since ?? now
  }

  private mutating func goOn() -> [PlayAction] {
    let orders = (isHeld ? [.hold(false)] : []) + endProbe()
    (isHeld, since) = (false, nil)
    guard let found = lost else { return orders }
    (lost, hasStood) = (nil, false)
    return orders + [.reopen(found.path, at: found.seconds)]
  }

  /// Asks for a missing byte, unless fetches are not possible now.
  private mutating func probe() -> [PlayAction] {
    guard isHeld || lost != nil, !isProbing, now >= nextProbe, let supply,
      supply.condition == .online
    else { return [] }
    isProbing = true
    // The probe reads the last byte of a block, because the block's first bytes may be there
    // already.
    let end = ((front?.edge ?? supply.firstMissing) / Self.block + 1) * Self.block
    return [.probe(supply.path, at: min(end, supply.size ?? end) - 1)]
  }

  private mutating func endProbe() -> [PlayAction] {
    guard isProbing else { return [] }
    isProbing = false
    return [.endProbe]
  }

  private func words(since: Int) -> String {
    let reason = isSilent ? nil : supply?.words
    return "\(reason ?? "the mount does not answer")\n\(FeedDuration.clock(Double(now - since)))"
  }
}
