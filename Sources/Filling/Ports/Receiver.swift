package import Blocks

/// A caller that may have to wait. It gets exactly one answer, on any thread.
package protocol Receiver: Sendable {
  /// Announces that the answer will come later. This call comes before any other thread can give
  /// the answer. The receiver may call `cancel` at any time and from any thread to end the wait.
  /// The wait then ends with `interrupted`, or with `diskHangs` while the disk is being read.
  /// Returns false to refuse the wait, which then fails as `crowded`.
  func willWait(cancel: @escaping @Sendable () -> Void) -> Bool

  func fail(_ error: ReadError)
}

/// A caller that reads bytes.
package protocol ByteReceiver: Receiver {
  /// Takes `bytes`. They are fewer than asked only at the end of the version. Returns false if they
  /// could not be read from their place in the cache. The receiver has its answer in both cases.
  func receive(_ bytes: RawSpan) -> Bool
}

/// A caller that opens a file.
package protocol ProofReceiver: Receiver {
  /// True if the caller is known to look at the film, and not to play it. By default it is not.
  var isLooker: Bool { get }

  /// True if the caller is known to look at the type of the file alone. By default it is not.
  var isScanner: Bool { get }

  /// Takes the proved version.
  func proved(_ representation: Representation)

  /// Notes that the file can be read as it grows, though its length is not proved. Returns false if
  /// the receiver needs the proof. The wait then goes on, for as long as bytes come.
  func grows() -> Bool
}

extension ProofReceiver {
  package var isLooker: Bool { false }
  package var isScanner: Bool { false }
}

/// The reason why a read of missing bytes ends without them.
package enum ReadError: Error, Hashable, Sendable {
  /// The origin now serves another version. Only cached bytes of this version can be read.
  case changed
  /// The origin did not send the bytes in time, or not in several tries.
  case unreachable
  /// The disk did not return the bytes in time.
  case diskHangs
  /// The network mode is offline.
  case offline
  /// The reader went away.
  case interrupted
  /// The reader is a scanner, and the bytes are not fetched for scanners.
  case withheld
  /// Too many reads are waiting already.
  case crowded
  /// The mount is being taken down.
  case ended
}
