package import Blocks

/// Who may have to wait. Exactly one answer comes, once, on any thread.
package protocol Receiver: Sendable {
  /// The answer will come later: told before any other thread can give it. `cancel` ends the wait
  /// with `interrupted`, at any time and from any thread. Returns false to be turned away.
  func willWait(cancel: @escaping @Sendable () -> Void) -> Bool

  func fail(_ error: StreamError)
}

/// Who reads.
package protocol ByteReceiver: Receiver {
  /// Takes `bytes`, fewer than asked only at the end of the representation. Returns false if they
  /// could not be read from where they are kept; that is an answer, too.
  func receive(_ bytes: RawSpan) -> Bool
}

/// Who opens.
package protocol ProofReceiver: Receiver {
  func proved(_ representation: Representation)
}
