/// The readers that have a file open, and a few facts about readers that have closed it.
struct Readers: Sendable {
  /// The read-ahead window of each reader. A scanner, which reads only the type of files, has no
  /// window. A reader whose reads the kernel answers without the daemon has none either.
  var windows: IdentifierMap<HandleKind, ReadAheadWindow> = [:]
  private var scanners: Set<HandleID> = []
  /// Readers whose reads the kernel answers without the daemon. The value is the time from which
  /// the reader counts as playing.
  private var unseen: IdentifierMap<HandleKind, Duration> = [:]
  /// True if any reader in `unseen` counts as playing.
  private(set) var isPlayedUnseen = false
  /// True if `FillState.Action.played` was returned. It is returned only once.
  var hasPlayed = false
  /// True if the last reader that closed the file had read to its end. Readers that read no further
  /// than their first fetch do not count.
  var isPlayedToEnd = false
  /// The time until which fetches of the head go on after the last close. It is set if the last
  /// reader only inspected the file, because such a program may open the file again at once.
  /// Otherwise nil.
  var reopeningEnd: Duration?
  private var lastHandle = HandleID.none
  private var lastWait = WaitID.none

  var hasHandles: Bool { !windows.isEmpty }
  var areAny: Bool { hasHandles || !unseen.isEmpty || !scanners.isEmpty }

  func isScanner(_ handle: HandleID) -> Bool { scanners.contains(handle) }

  /// Adds a reader, and returns its handle. A scanner gets no read-ahead window.
  mutating func opened(isScanner: Bool, isLooker: Bool, _ rules: FillRules) -> HandleID {
    lastHandle = lastHandle.next
    if isScanner {
      scanners.insert(lastHandle)
    } else {
      windows[lastHandle] = ReadAheadWindow(rules: rules, isLooker: isLooker)
    }
    return lastHandle
  }

  /// Adds a reader whose reads the kernel answers without the daemon, and returns its handle. The
  /// reader counts as playing from the time `start` on.
  mutating func openedUnseen(playingFrom start: Duration) -> HandleID {
    lastHandle = lastHandle.next
    unseen[lastHandle] = start
    return lastHandle
  }

  /// Removes the reader of `handle`. `length` is the length of the file in bytes; nil if it is not
  /// known. If this was the last reader, and it only inspected the file, fetches of the head go on
  /// until the time `reopening`.
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

  /// Returns a new identifier for a wait.
  mutating func newWait() -> WaitID {
    lastWait = lastWait.next
    return lastWait
  }

  /// Makes all read-ahead windows look for missing bytes again.
  mutating func rescan() {
    for handle in windows.keys { windows[handle]?.rescan() }
  }

  /// Returns the run of a reader whose reads the kernel answers without the daemon: how long the
  /// file was open, and whether that was at least `after`, so that the reader counts as playing.
  /// Returns nil for any other reader.
  func unseenRun(of handle: HandleID, at now: Duration, after: Duration) -> ReadRun? {
    guard let start = unseen[handle] else { return nil }
    let time = now - (start - after)
    return ReadRun(time: time, bytes: nil, reachesEnd: false, isBegun: time >= after)
  }

  /// Notes whether any reader in `unseen` counts as playing at `now`.
  mutating func tick(_ now: Duration) {
    isPlayedUnseen = unseen.values.contains { $0 <= now }
  }

  /// Returns the time at which the next reader in `unseen` counts as playing; nil if there is none.
  func nextPlay(after now: Duration) -> Duration? {
    unseen.values.lazy.filter { $0 > now }.min()
  }
}
