package import Blocks
package import Filling
import Locks

/// A receiver of a read or an open that records its answers: there must be exactly one.
package final class RecordingReceiver: ByteReceiver, ProofReceiver {
  package enum Answer: Hashable, Sendable {
    /// This many bytes, all of them right.
    case bytes(Int)
    case wrongBytes
    case proved(Representation)
    case grows
    case failed(ReadError)
  }

  private struct State {
    var answers: [Answer] = []
    var cancel: (@Sendable () -> Void)?
  }

  private let range: ByteRange
  private let file: PatternBody
  private let isWelcome: Bool
  private let canTake: Bool
  private let readsAsItGrows: Bool
  private let whenWaiting: (@Sendable (@Sendable () -> Void) -> Void)?
  private let state = Locked(State())

  /// - Parameters:
  ///   - file: the file whose bytes `range` should have.
  ///   - isWelcome: the answer to `willWait`: whether the receiver may wait.
  ///   - canTake: the answer to `receive`; if false, the bytes are recorded as an answer all the
  ///     same.
  ///   - readsAsItGrows: whether an open is content with a file whose length is not proved.
  ///   - whenWaiting: called with the cancel closure, before the wait begins.
  package init(
    of file: PatternBody, _ range: ByteRange = 0..<0, isWelcome: Bool = true,
    canTake: Bool = true, readsAsItGrows: Bool = true,
    whenWaiting: (@Sendable (@Sendable () -> Void) -> Void)? = nil
  ) {
    self.file = file
    self.range = range.clamped(to: 0..<file.length)
    self.isWelcome = isWelcome
    self.canTake = canTake
    self.readsAsItGrows = readsAsItGrows
    self.whenWaiting = whenWaiting
  }

  package var answers: [Answer] {
    state.withLock { $0.answers }
  }

  /// Cancels the wait; does nothing if the receiver never had to wait.
  package func interrupt() {
    state.withLock { $0.cancel }?()
  }

  package func willWait(cancel: @escaping @Sendable () -> Void) -> Bool {
    state.withLock { $0.cancel = cancel }
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

  package func grows() -> Bool {
    if readsAsItGrows { add(.grows) }
    return readsAsItGrows
  }

  package func fail(_ error: ReadError) {
    add(.failed(error))
  }

  private func add(_ answer: Answer) {
    state.withLock { $0.answers.append(answer) }
  }
}
