/// The readers that have a file open, and facts about those that have closed it.
struct Readers: Sendable {
  /// The read-ahead window of each reader. Scanners have none.
  var windows: IdentifierMap<HandleKind, ReadAheadWindow> = [:]
  private var scanners: Set<HandleID> = []
  /// Readers whose reads the daemon does not see. The value is the time from which each counts as
  /// playing.
  private var unseen: IdentifierMap<HandleKind, Duration> = [:]
  /// True if any reader in `unseen` counts as playing.
  private(set) var isPlayedUnseen = false
  /// True if a reader has read on for so long that it plays the film, and that was reported.
  var hasPlayed = false
  /// True if the last reader that read on had reached the end when it closed.
  var isPlayedToEnd = false
  /// The time until which fetches of the head go on, though the last reader has closed the file,
  /// because it only looked. Nil if none does.
  var reopeningEnd: Duration?
  private var lastHandle = HandleID.none
  private var lastWait = WaitID.none

  var hasHandles: Bool { !windows.isEmpty }
  var areAny: Bool { hasHandles || !unseen.isEmpty || !scanners.isEmpty }

  func isScanner(_ handle: HandleID) -> Bool { scanners.contains(handle) }

  /// Adds a reader. A scanner gets no window.
  mutating func opened(isScanner: Bool, isLooker: Bool, _ rules: FillRules) -> HandleID {
    lastHandle = lastHandle.next
    if isScanner {
      scanners.insert(lastHandle)
    } else {
      windows[lastHandle] = ReadAheadWindow(rules: rules, isLooker: isLooker)
    }
    return lastHandle
  }

  /// Adds a reader whose reads the daemon does not see. It counts as playing from `start` on.
  mutating func openedUnseen(playingFrom start: Duration) -> HandleID {
    lastHandle = lastHandle.next
    unseen[lastHandle] = start
    return lastHandle
  }

  /// Removes the reader of `handle`. If it was the last one, and only looked, it may open the file
  /// again before the time `reopening`.
  mutating func closed(_ handle: HandleID, of length: Int?, reopening: Duration) {
    let window = windows.removeValue(forKey: handle)
    if let window, let length, window.isOpen {
      isPlayedToEnd = window.hasReachedEnd(of: length)
    }
    unseen[handle] = nil
    isPlayedUnseen = isPlayedUnseen && !unseen.isEmpty
    scanners.remove(handle)
    reopeningEnd = (window?.isLook ?? false) && !areAny ? reopening : nil
  }

  /// Returns a new name for a wait.
  mutating func newWait() -> WaitID {
    lastWait = lastWait.next
    return lastWait
  }

  /// Makes all windows look for missing bytes again.
  mutating func rescan() {
    for handle in windows.keys { windows[handle]?.rescan() }
  }

  /// Returns the time for which an unseen reader has had the file open, and whether it plays.
  func unseenRun(of handle: HandleID, at now: Duration, after: Duration) -> ReadRun? {
    guard let start = unseen[handle] else { return nil }
    let time = now - (start - after)
    return ReadRun(time: time, bytes: nil, reachesEnd: false, isBegun: time >= after)
  }

  /// Notes which unseen readers have the file open for so long that they play it.
  mutating func tick(_ now: Duration) {
    isPlayedUnseen = unseen.values.contains { $0 <= now }
  }

  /// Returns the time at which the next unseen reader counts as playing; nil if there is none.
  func nextPlay(after now: Duration) -> Duration? {
    unseen.values.lazy.filter { $0 > now }.min()
  }
}
