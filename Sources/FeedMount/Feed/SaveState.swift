import Quantities

/// Decides when a catalog is saved.
struct SaveState: Sendable {
  /// The time from a change to the save. The save covers all changes that were made before it.
  private static let delay = Duration.milliseconds(500)

  private var isScheduled = false
  private var hasEnded = false
  /// The edition of the catalog that is on the disk; nil if unknown.
  private var saved: Int?
  /// The delay before the next try to save after a failure.
  private var pause = Backoff(from: .seconds(1), to: .seconds(30))
  /// The reason why the catalog could not be saved; nil after a success.
  private(set) var trouble: String?
  private var logged = LastWords()

  /// Notes a change. Returns the time after which to save, or nil if a save is already scheduled.
  mutating func changed() -> Duration? {
    schedule(after: Self.delay)
  }

  /// Notes that the scheduled save is due. Returns false if another save came before it.
  mutating func isDue() -> Bool {
    defer { isScheduled = false }
    return isScheduled
  }

  /// Notes that `edition` of the catalog is to be saved now. Returns false if the disk has it
  /// already.
  mutating func begins(_ edition: Int) -> Bool {
    // This save replaces a scheduled one.
    isScheduled = false
    return saved != edition
  }

  /// Notes that the disk has `edition`; returns whether earlier saves had failed.
  mutating func succeeded(_ edition: Int) -> Bool {
    defer {
      (saved, trouble, logged) = (edition, nil, LastWords())
      pause.reset()
    }
    return trouble != nil
  }

  /// Notes that a save has failed. The entries that wait for it are listed after a later save.
  /// Returns whether `why` is news, and the time after which to save again. That time is nil if a
  /// save is already scheduled.
  mutating func failed(_ why: String) -> (isNews: Bool, retry: Duration?) {
    trouble = why
    return (logged.take(why), schedule(after: pause.failed()))
  }

  /// Ends the schedule: later changes schedule no save.
  mutating func end() {
    hasEnded = true
  }

  private mutating func schedule(after time: Duration) -> Duration? {
    guard !isScheduled, !hasEnded else { return nil }
    isScheduled = true
    return time
  }
}
