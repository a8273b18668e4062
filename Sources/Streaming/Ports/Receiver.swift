package import Blocks

/// A caller that may have to wait. It gets exactly one answer, on any thread.
package protocol Receiver: Sendable {
  /// Announces that the answer will come later, before any other thread can give it. `cancel` ends
  /// the wait with `interrupted`, or with `diskHangs` while the disk is being read, at any time and
  /// from any thread. Returns false to refuse the wait, which fails as `crowded` then.
  func willWait(cancel: @escaping @Sendable () -> Void) -> Bool

  func fail(_ error: StreamError)
}

/// A caller that reads bytes.
package protocol ByteReceiver: Receiver {
  /// Takes `bytes`; they are fewer than asked only at the end of the version. Returns false if they
  /// could not be read from their place in the cache; the receiver has its answer then, too.
  func receive(_ bytes: RawSpan) -> Bool
}

/// A caller that opens a file.
package protocol ProofReceiver: Receiver {
  func proved(_ representation: Representation)
}

/// The reason why a read of missing bytes ends without them.
package enum StreamError: Error, Hashable, Sendable {
  /// The origin now serves another version; of this one only cached bytes can be read.
  case changed
  /// The origin did not send the bytes in time, or not in several tries.
  case unreachable
  /// The disk did not return the bytes in time.
  case diskHangs
  /// The network mode is offline.
  case offline
  /// The reader went away.
  case interrupted
  /// The bytes are not fetched for scanners.
  case withheld
  /// Too many reads are waiting already.
  case crowded
  /// The mount is being taken down.
  case ended
}
