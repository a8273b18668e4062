import Dispatch
import Locks

/// Writes bytes from memory to their data files, on a thread of its own.
///
/// A pass writes the complete blocks of all files that have some in memory. It begins a moment
/// after the first such block is complete, so that one write can take several blocks. If a reader
/// waits for a block, it begins at once. A write can take any time, so the threads that read the
/// network or answer the kernel do not write.
final class Writer: Sendable {
  private struct State {
    var files = DueFiles()
    /// True if a pass will begin after the delay.
    var isArmed = false
    /// True if a pass will begin at once.
    var isUrgent = false
    /// The start of the present pass; nil if none is under way.
    var began: ContinuousClock.Instant?
    /// True if the disk has not answered for `hangTimeout`.
    var isLate = false
    /// The files of the present pass.
    var passing: [EntryFile] = []
    /// True if `watch` will soon check whether the present pass hangs.
    var isWatched = false
    /// The error of the last write; nil if the disk took it.
    var trouble: StorageError?
    /// The number of threads that wait for memory.
    var waiting = 0
    /// The time before which no thread waits for memory, because the last wait brought none.
    var noWaitBefore: ContinuousClock.Instant?
  }

  /// The time from the first complete block in memory to the pass that writes it.
  static let delay = Duration.milliseconds(2)
  /// The disk counts as hanging if a pass takes longer than this. Then readers get bytes that are
  /// only in memory, and no thread waits for memory.
  static let hangTimeout = Duration.seconds(1)

  private let queue: DispatchQueue
  private let watchQueue = DispatchQueue(label: "feedfs.write.watch")
  private let timer: Disk.Timer
  /// True if a timer was given, as in a simulation. Then passes run on the thread that calls the
  /// timer's closures.
  private let isTimed: Bool
  private let state = Locked(State())
  private let hasRoom = DispatchSemaphore(value: 0)

  /// - Parameter timer: runs a closure after a delay. If nil, the real clock is used.
  init(timer: Disk.Timer? = nil) {
    let queue = DispatchQueue(label: "feedfs.write")
    self.queue = queue
    isTimed = timer != nil
    self.timer =
      timer ?? { delay, body in
        guard delay > .zero else { return queue.async(execute: body) }
        queue.asyncAfter(
          deadline: .now() + .nanoseconds(Int(delay / .nanoseconds(1))), execute: body)
      }
  }

  /// True if the disk has not answered for `hangTimeout`.
  var isLate: Bool { state.withLock { $0.isLate } }

  /// The error of the last write; nil if the disk took it.
  var trouble: StorageError? {
    get { state.withLock { $0.trouble } }
    set { state.withLock { $0.trouble = newValue } }
  }

  /// Notes that `file` has a complete block in memory. Never blocks.
  func wrote(to file: EntryFile) {
    let isFirst = state.withLock { state in
      state.files.insert(file)
      defer { state.isArmed = true }
      return !state.isArmed
    }
    if isFirst { timer(Self.delay) { self.pass() } }
  }

  /// Removes `file` from the files of the next pass, because the caller writes its bytes. A later
  /// complete block adds it again.
  func forget(_ file: EntryFile) {
    state.withLock { $0.files.remove(file) }
  }

  /// Begins to write `file` at once, because a reader waits for its blocks. Never blocks.
  func hurry(for file: EntryFile) {
    let (isFirst, mustWatch) = state.withLock { state in
      state.files.insert(file)
      defer { (state.isUrgent, state.isWatched) = (true, true) }
      return (!state.isUrgent, !state.isWatched)
    }
    if isFirst { timer(.zero) { self.pass() } }
    if mustWatch { watch() }
  }

  /// Runs `work`, which uses the disk, on the thread that writes.
  func run(_ work: @escaping @Sendable () -> Void) {
    if isTimed { work() } else { queue.async(execute: work) }
  }

  /// Forgets the files that wait for a pass, because their bytes must not be written any more.
  func end() {
    state.withLock { $0.files = DueFiles() }
  }

  /// Calls `take` until its result is not nil, and returns that result. Between two calls, waits
  /// until the file with the oldest bytes is written, so that `take` can use their memory. Returns
  /// nil after `hangTimeout`, or at once if the disk hangs.
  func room<Memory>(in memory: RecentMemory, _ take: () -> Memory?) -> Memory? {
    if let taken = take() { return taken }
    let start = ContinuousClock.now
    let end = start + Self.hangTimeout
    let mayWait = state.withLock { $0.noWaitBefore.map { $0 <= start } ?? true }
    while mayWait, !isLate, .now < end {
      guard let oldest = memory.files.first else { return take() }
      guard !isTimed else {
        oldest.writeOutAll()
        return take()
      }
      state.withLock { $0.waiting += 1 }
      queue.async { [self] in
        began([])
        oldest.writeOutAll()
        ended()
      }
      _ = hasRoom.wait(timeout: .now() + .seconds(1))
      if let taken = take() { return taken }
    }
    state.withLock { $0.noWaitBefore = .now + Self.hangTimeout }
    look()
    return nil
  }

  /// Writes all files with complete blocks in memory.
  private func pass() {
    let files = state.withLock { state in
      defer { (state.files, state.isArmed, state.isUrgent) = (DueFiles(), false, false) }
      return state.files.all
    }
    guard !files.isEmpty else { return }
    began(files)
    for file in files { try? file.writeOut() }
    ended()
  }

  private func began(_ files: [EntryFile]) {
    state.withLock { ($0.began, $0.passing) = (.now, files) }
  }

  private func ended() {
    let waiting = state.withLock { state in
      defer { (state.began, state.isLate, state.waiting) = (nil, false, 0) }
      state.passing = []
      return state.waiting
    }
    for _ in 0..<waiting { hasRoom.signal() }
  }

  // MARK: A disk that hangs

  /// Calls `look` after `hangTimeout`, and again every `hangTimeout` as long as a pass is under
  /// way.
  private func watch() {
    guard !isTimed else { return }
    watchQueue.asyncAfter(deadline: .now() + .seconds(1)) { [self] in
      let isUnderWay = state.withLock { state in
        state.isWatched = state.began != nil
        return state.isWatched
      }
      look()
      if isUnderWay { watch() }
    }
  }

  /// If the present pass has lasted for `hangTimeout`, answers the readers that wait for it.
  private func look() {
    let files = state.withLock { state -> [EntryFile] in
      guard let began = state.began, .now - began >= Self.hangTimeout else { return [] }
      state.isLate = true
      return state.passing + state.files.all
    }
    for file in files { file.answerWaits(all: true) }
  }
}
