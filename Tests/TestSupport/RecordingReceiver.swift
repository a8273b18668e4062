package import Blocks
import NIOConcurrencyHelpers
package import Streaming

/// One who reads or opens, and remembers each answer: there must be exactly one.
package final class RecordingReceiver: ByteReceiver, ProofReceiver {
  package enum Answer: Hashable, Sendable {
    /// So many bytes, and all of them right.
    case bytes(Int)
    case wrongBytes
    case proved(Representation)
    case failed(StreamError)
  }

  private struct State {
    var answers: [Answer] = []
    var cancel: (@Sendable () -> Void)?
  }

  private let range: ByteRange
  private let file: PatternBody
  private let isWelcome: Bool
  private let canTake: Bool
  private let whenWaiting: (@Sendable (@Sendable () -> Void) -> Void)?
  private let state = NIOLockedValueBox(State())

  /// - Parameters:
  ///   - file: what the bytes of `range` should be.
  ///   - isWelcome: whether it may wait.
  ///   - canTake: whether it can read what it is given: if not, that is its answer all the same.
  ///   - whenWaiting: called with the cancel, before the wait is under way.
  package init(
    of file: PatternBody, _ range: ByteRange = 0..<0, isWelcome: Bool = true,
    canTake: Bool = true,
    whenWaiting: (@Sendable (@Sendable () -> Void) -> Void)? = nil
  ) {
    self.file = file
    self.range = range.clamped(to: 0..<file.length)
    self.isWelcome = isWelcome
    self.canTake = canTake
    self.whenWaiting = whenWaiting
  }

  package var answers: [Answer] {
    state.withLockedValue { $0.answers }
  }

  /// The reader goes away; nothing if it never had to wait.
  package func interrupt() {
    state.withLockedValue { $0.cancel }?()
  }

  package func willWait(cancel: @escaping @Sendable () -> Void) -> Bool {
    state.withLockedValue { $0.cancel = cancel }
    whenWaiting?(cancel)
    return isWelcome
  }

  package func receive(_ bytes: RawSpan) -> Bool {
    add(file.agrees(bytes, with: range) ? .bytes(range.count) : .wrongBytes)
    return canTake
  }

  package func proved(_ representation: Representation) {
    add(.proved(representation))
  }

  package func fail(_ error: StreamError) {
    add(.failed(error))
  }

  private func add(_ answer: Answer) {
    state.withLockedValue { $0.answers.append(answer) }
  }
}
