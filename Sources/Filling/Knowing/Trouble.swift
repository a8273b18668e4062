import Blocks

/// The bytes of a version that do not come, and the reads that have failed for that.
struct Trouble: Sendable {
  /// The bytes that the origin fails to send, and when to ask again; nil if there are none.
  private(set) var failing: FetchTrouble?
  /// The ranges of failed reads. Until the given time, a read that overlaps one fails at once.
  private(set) var failures: [(bytes: ByteRange, until: Duration)] = []
  var jitter: Jitter

  /// - Parameter seed: for the jitter of backoffs.
  init(seed: UInt64) {
    jitter = Jitter(seed: seed)
  }

  // MARK: The origin

  /// Notes that a fetch of `bytes` brought nothing, and sets the next backoff. Returns true if that
  /// was so `limit` times in a row, so that the readers get an error.
  mutating func again(
    _ bytes: ByteRange, answered: Bool, atLeast delay: Duration? = nil, limit: Int,
    at now: Duration
  ) -> Bool {
    var failing = failing ?? FetchTrouble(bytes, at: now)
    failing.again(bytes, answered: answered, atLeast: delay, now: now, jitter: jitter.next())
    let isEnough = failing.fruitless >= limit
    if isEnough { failing.readersAreTold() }
    self.failing = failing
    return isEnough
  }

  /// Notes trouble without a new backoff. Read-ahead skips these bytes until a reader has waited
  /// for them and got them.
  mutating func cover(_ bytes: ByteRange, at now: Duration) {
    var failing = failing ?? FetchTrouble(bytes, at: now)
    failing.cover(bytes)
    self.failing = failing
  }

  /// Ends the trouble: the origin sends the bytes, or its earlier answers no longer count.
  mutating func end() {
    failing = nil
  }

  /// True if the origin fails to send any of `bytes`.
  func concerns(_ bytes: ByteRange) -> Bool {
    failing?.bytes.overlaps(bytes) ?? false
  }

  /// True if `bytes` are not to be asked for before the backoff ends.
  func delays(_ bytes: ByteRange, at now: Duration) -> Bool {
    !isOver(at: now) && concerns(bytes)
  }

  /// True if no backoff runs.
  func isOver(at now: Duration) -> Bool {
    failing.map { $0.notBefore <= now } ?? true
  }

  /// Returns the end of the backoff; nil if none runs.
  func retry(after now: Duration) -> Duration? {
    isOver(at: now) ? nil : failing?.notBefore
  }

  /// Returns the time until the failed part is asked for again; nil if nothing has failed.
  func wait(at now: Duration) -> Duration? {
    failing.map { max(.zero, $0.notBefore - now) }
  }

  // MARK: Reads

  /// Notes that a read of `bytes` has failed. The kernel repeats it until the given time.
  mutating func failed(_ bytes: ByteRange, until time: Duration) {
    failures.append((bytes, time))
  }

  /// Returns true if a read of `bytes` is to fail at once, because one has just failed.
  func hasFailed(_ bytes: ByteRange) -> Bool {
    failures.contains { $0.bytes.overlaps(bytes) }
  }

  /// Forgets failed reads that the kernel does not repeat any more at `now`.
  mutating func forgetFailures(before now: Duration) {
    failures.removeAll { $0.until <= now }
  }

  /// Notes that earlier failures say nothing about the origin now.
  mutating func beginAnew() {
    failing = nil
    failures = []
  }
}
