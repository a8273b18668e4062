import Blocks

/// The bytes of a version that do not come, and the reads that have failed because of that.
struct Trouble: Sendable {
  /// The bytes that the origin fails to send, and when to ask again; nil if there are none.
  private(set) var failing: FetchTrouble?
  /// The ranges of failed reads. Until the time `until`, a read that overlaps the range fails at
  /// once.
  private(set) var failures: [(bytes: ByteRange, until: Duration)] = []
  var jitter: Jitter

  /// - Parameter seed: the seed of the random numbers that vary the lengths of backoffs.
  init(seed: UInt64) {
    jitter = Jitter(seed: seed)
  }

  // MARK: The origin

  /// Notes that a fetch of `bytes` brought nothing, and sets the next backoff, which lasts for
  /// `delay` at least. `answered` is false if no answer came. Returns true after `limit` answers in
  /// a row without a new byte, because the readers must get an error then.
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

  /// Adds `bytes` to the bytes that the origin fails to send, without a new backoff. They are not
  /// read ahead until a reader has waited for them and got them.
  mutating func cover(_ bytes: ByteRange, at now: Duration) {
    var failing = failing ?? FetchTrouble(bytes, at: now)
    failing.cover(bytes)
    self.failing = failing
  }

  /// Notes that the origin sends the missing bytes again, or that its earlier failures no longer
  /// count.
  mutating func end() {
    failing = nil
  }

  /// Returns whether some of `bytes` are among those that the origin fails to send.
  func concerns(_ bytes: ByteRange) -> Bool {
    failing?.bytes.overlaps(bytes) ?? false
  }

  /// Returns whether `bytes` must not be requested before a backoff has ended.
  func delays(_ bytes: ByteRange, at now: Duration) -> Bool {
    !isOver(at: now) && concerns(bytes)
  }

  /// Returns whether no backoff runs.
  func isOver(at now: Duration) -> Bool {
    failing.map { $0.notBefore <= now } ?? true
  }

  /// Returns the end of the backoff; nil if none runs.
  func retry(after now: Duration) -> Duration? {
    isOver(at: now) ? nil : failing?.notBefore
  }

  /// Returns the time until the bytes that the origin fails to send are requested again; nil if
  /// there are none.
  func wait(at now: Duration) -> Duration? {
    failing.map { max(.zero, $0.notBefore - now) }
  }

  // MARK: Reads

  /// Notes that a read of `bytes` has failed. If the kernel repeats the read before `time`, it
  /// fails at once.
  mutating func failed(_ bytes: ByteRange, until time: Duration) {
    failures.append((bytes, time))
  }

  /// Returns whether a read of `bytes` must fail at once, because a read of overlapping bytes has
  /// just failed.
  func hasFailed(_ bytes: ByteRange) -> Bool {
    failures.contains { $0.bytes.overlaps(bytes) }
  }

  /// Forgets the failed reads whose time `until` has passed.
  mutating func forgetFailures(before now: Duration) {
    failures.removeAll { $0.until <= now }
  }

  /// Forgets all failures, because they say nothing about the origin now.
  mutating func beginAnew() {
    failing = nil
    failures = []
  }
}
