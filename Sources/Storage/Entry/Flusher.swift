import Dispatch
import Locks

/// Flushes written files on a thread of its own. A flush begins a fixed time after the first write
/// since the flush before.
///
/// A flush does not begin after a number of bytes, because then each fast fetch would wait for the
/// disk. A power cut costs the bytes since the last flush in both cases.
///
/// A flush blocks, so it runs on a queue of its own. The threads that write and those of Swift's
/// pool must not block. The flusher keeps each file object alive until its writes are flushed.
final class Flusher: Sendable {
  private struct State {
    var files = DueFiles()
    /// True if a flush will begin after the delay.
    var isArmed = false
    var trouble: StorageError?
  }

  private let queue: DispatchQueue
  private let delay: Duration
  private let timer: Disk.Timer
  private let state = Locked(State())

  /// - Parameter timer: runs a closure after the delay. If nil, the real clock is used.
  init(delay: Duration, timer: Disk.Timer? = nil) {
    let queue = DispatchQueue(label: "feedfs.flush", qos: .utility)
    self.queue = queue
    self.delay = delay
    self.timer =
      timer ?? { delay, body in
        queue.asyncAfter(
          deadline: .now() + .nanoseconds(Int(delay / .nanoseconds(1))), execute: body)
      }
  }

  /// The error of the last flush; nil if it succeeded.
  var trouble: StorageError? {
    state.withLock { $0.trouble }
  }

  /// Notes that `file` was written to, so that it is flushed after the delay. Never blocks.
  func wrote(to file: EntryFile) {
    let isFirst = state.withLock { state in
      state.files.insert(file)
      defer { state.isArmed = true }
      return !state.isArmed
    }
    guard isFirst else { return }
    timer(delay) {
      self.state.withLock { $0.isArmed = false }
      self.flush()
    }
  }

  /// Removes `file` from the files of the next flush, because the caller flushes it. A later write
  /// adds it again.
  func forget(_ file: EntryFile) {
    state.withLock { $0.files.remove(file) }
  }

  /// Flushes the files that wait for a flush, and returns when no flush is running.
  func drain() {
    queue.sync { flush() }
  }

  private func flush() {
    let files = state.withLock { state in
      defer { state.files = DueFiles() }
      return state.files.all
    }
    guard !files.isEmpty else { return }
    var trouble: StorageError?
    for file in files {
      do throws(StorageError) {
        try file.flush()
      } catch {
        trouble = error
      }
    }
    state.withLock { $0.trouble = trouble }
  }
}
