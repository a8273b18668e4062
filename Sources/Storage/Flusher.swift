import Dispatch
import NIOConcurrencyHelpers

/// Flushes what was written, away from the threads that write.
///
/// It has a queue of its own, since a flush blocks: neither the writing thread nor Swift's pool may.
/// Written-to files are kept alive until they are flushed.
final class Flusher: Sendable {
  private struct State {
    var ledger = FlushLedger()
    var files: [ObjectIdentifier: EntryFile] = [:]
    var trouble: StorageError?
  }

  private let queue = DispatchQueue(label: "feedfs.flush", qos: .utility)
  private let delay: Duration
  private let state = NIOLockedValueBox(State())

  init(delay: Duration) {
    self.delay = delay
  }

  /// Why the last flush failed; nil after a good one.
  var trouble: StorageError? {
    state.withLockedValue { $0.trouble }
  }

  /// Notes `bytes` written to `file`; never blocks.
  func wrote(_ bytes: Int, to file: EntryFile) {
    let step = state.withLockedValue { state in
      state.files[ObjectIdentifier(file)] = file
      return state.ledger.wrote(bytes)
    }
    switch step {
    case .nothing: break
    case .flush: queue.async { self.flush() }
    case .arm:
      queue.asyncAfter(deadline: .now() + .nanoseconds(Int(delay / .nanoseconds(1)))) {
        self.state.withLockedValue { $0.ledger.elapsed() }
        self.flush()
      }
    }
  }

  /// Flushes whatever is left, and returns when nothing is under way.
  func drain() {
    queue.sync { flush() }
  }

  private func flush() {
    let files = state.withLockedValue { state in
      defer { state.files = [:] }
      state.ledger.began()
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
