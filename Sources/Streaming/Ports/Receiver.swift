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

/// Why a read of missing bytes ends without them.
package enum StreamError: Error, Hashable, Sendable {
  /// The origin now serves another version: this one can only be read where it is cached.
  case changed
  /// The origin did not give the bytes in time, or not in spite of several tries.
  case unreachable
  /// The disk did not give the bytes in time.
  case diskHangs
  /// The user wants nothing to be fetched.
  case offline
  /// The reader went away.
  case interrupted
  /// The bytes are not fetched for a scanner.
  case withheld
  /// Too many reads wait already.
  case crowded
  /// The mount is being taken down.
  case ended
}
