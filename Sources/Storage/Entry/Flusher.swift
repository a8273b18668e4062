import Dispatch
import NIOConcurrencyHelpers

/// Flushes what was written, away from the threads that write: a while after the first byte that is
/// not on the disk.
///
/// It goes by time alone. A flush of every so many bytes makes the disk's work part of each fast
/// download, and one that was interrupted by a power cut is as long as the last flush is ago.
///
/// It has a queue of its own, since a flush blocks: neither the writing thread nor Swift's pool may.
/// Written-to files are kept alive until they are flushed.
final class Flusher: Sendable {
  private struct State {
    var files: [ObjectIdentifier: EntryFile] = [:]
    /// Whether a flush is to come.
    var isArmed = false
    var trouble: StorageError?
  }

  /// Calls what it is given after a time, on a thread that may block.
  typealias Timer = @Sendable (Duration, @escaping @Sendable () -> Void) -> Void

  private let queue: DispatchQueue
  private let delay: Duration
  private let timer: Timer
  private let state = NIOLockedValueBox(State())

  /// - Parameter timer: nil: by the computer's clock.
  init(delay: Duration, timer: Timer? = nil) {
    let queue = DispatchQueue(label: "feedfs.flush", qos: .utility)
    self.queue = queue
    self.delay = delay
    self.timer =
      timer ?? { delay, body in
        queue.asyncAfter(
          deadline: .now() + .nanoseconds(Int(delay / .nanoseconds(1))), execute: body)
      }
  }

  /// Why the last flush failed; nil after a good one.
  var trouble: StorageError? {
    state.withLockedValue { $0.trouble }
  }

  /// Notes that `file` was written to; never blocks.
  func wrote(to file: EntryFile) {
    let isFirst = state.withLockedValue { state in
      state.files[ObjectIdentifier(file)] = file
      defer { state.isArmed = true }
      return !state.isArmed
    }
    guard isFirst else { return }
    timer(delay) {
      self.state.withLockedValue { $0.isArmed = false }
      self.flush()
    }
  }

  /// `file` will be flushed without this, unless it is written to again.
  func forget(_ file: EntryFile) {
    state.withLockedValue { $0.files[ObjectIdentifier(file)] = nil }
  }

  /// Flushes whatever is left, and returns when nothing is under way.
  func drain() {
    queue.sync { flush() }
  }

  private func flush() {
    let files = state.withLockedValue { state in
      defer { state.files = [:] }
      return state.files
    }
    guard !files.isEmpty else { return }
    var trouble: StorageError?
    for file in files.values {
      do throws(StorageError) {
        try file.flush()
      } catch {
        trouble = error
      }
    }
    state.withLockedValue { $0.trouble = trouble }
  }
}
