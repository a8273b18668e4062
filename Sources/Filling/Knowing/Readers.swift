/// The readers that have a file open, and a few facts about those that have closed it.
struct Readers: Sendable {
  /// The read-ahead window of each reader. Scanners, and readers that the daemon does not see, have
  /// none.
  var windows: IdentifierMap<HandleKind, ReadAheadWindow> = [:]
  private var scanners: Set<HandleID> = []
  /// Readers that the kernel answers without the daemon, and the time from which each counts as
  /// playing.
  private var unseen: IdentifierMap<HandleKind, Duration> = [:]
  /// True if any reader in `unseen` counts as playing.
  private(set) var isPlayedUnseen = false
  /// True if `FillState.Action.played` was returned. It is returned once.
  var hasPlayed = false
  /// True if the last reader that had read on past its first fetch was at the end when it closed
  /// the file.
  var isPlayedToEnd = false
  /// The time until which fetches of the head go on after the last close. Set if the last reader
  /// only inspects films, because it may open the file again; nil otherwise.
  var reopeningEnd: Duration?
  private var lastHandle = HandleID.none
  private var lastWait = WaitID.none

  var hasHandles: Bool { !windows.isEmpty }
  var areAny: Bool { hasHandles || !unseen.isEmpty || !scanners.isEmpty }

  func isScanner(_ handle: HandleID) -> Bool { scanners.contains(handle) }

  /// Adds a reader, and returns its name. A scanner gets no window.
  mutating func opened(isScanner: Bool, isLooker: Bool, _ rules: FillRules) -> HandleID {
    lastHandle = lastHandle.next
    if isScanner {
      scanners.insert(lastHandle)
    } else {
      windows[lastHandle] = ReadAheadWindow(rules: rules, isLooker: isLooker)
    }
    return lastHandle
  }

  /// Adds a reader that the kernel answers without the daemon, and returns its name. It counts as
  /// playing from `start` on.
  mutating func openedUnseen(playingFrom start: Duration) -> HandleID {
    lastHandle = lastHandle.next
    unseen[lastHandle] = start
    return lastHandle
  }

  /// Removes the reader of `handle` from a file of `length` bytes; nil if the length is not known.
  /// If it was the last reader, and only inspects films, fetches of the head go on until
  /// `reopening`.
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

  /// Returns the run of a reader that the kernel answers without the daemon: how long the file was
  /// open, and whether it counts as playing, which it does after the time `after`. Returns nil for
  /// any other reader.
  func unseenRun(of handle: HandleID, at now: Duration, after: Duration) -> ReadRun? {
    guard let start = unseen[handle] else { return nil }
    let time = now - (start - after)
    return ReadRun(time: time, bytes: nil, reachesEnd: false, isBegun: time >= after)
  }

  /// Notes whether any unseen reader counts as playing at `now`.
  mutating func tick(_ now: Duration) {
    isPlayedUnseen = unseen.values.contains { $0 <= now }
  }

  /// Returns the time at which the next unseen reader counts as playing; nil if there is none.
  func nextPlay(after now: Duration) -> Duration? {
    unseen.values.lazy.filter { $0 > now }.min()
  }
}
