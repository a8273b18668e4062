package import Blocks

/// A caller that may have to wait. It gets exactly one answer, on any thread.
package protocol Receiver: Sendable {
  /// Announces that the answer will come later. The filler calls this before any other thread can
  /// give the answer. The receiver may call `cancel` at any time and on any thread. The wait then
  /// fails with `interrupted`, or with `diskHangs` if the disk is being read. Returns false to
  /// refuse the wait, which then fails with `crowded`.
  func willWait(cancel: @escaping @Sendable () -> Void) -> Bool

  /// Takes an error instead of the answer.
  func fail(_ error: ReadError)
}

/// A caller that reads bytes.
package protocol ByteReceiver: Receiver {
  /// Takes `bytes`. They are fewer than were asked for only at the end of the version. Returns
  /// false if they could not be read from their place in the cache. This counts as the answer in
  /// both cases.
  func receive(_ bytes: RawSpan) -> Bool
}

/// A caller that opens a file.
package protocol ProofReceiver: Receiver {
  /// True if the caller is known to inspect films, and not to play them. False by default.
  var isLooker: Bool { get }

  /// True if the caller is known to read only the type of the file. False by default.
  var isScanner: Bool { get }

  /// Takes the proved version.
  func proved(_ representation: Representation)

  /// Notes that the file can be read as it grows, though its length is not proved. Returns true if
  /// that is enough for the receiver. If not, it waits on for the proof, as long as bytes come.
  func grows() -> Bool
}

extension ProofReceiver {
  package var isLooker: Bool { false }
  package var isScanner: Bool { false }
}

/// The reason why a read or an open fails.
package enum ReadError: Error, Hashable, Sendable {
  /// The origin now serves another version. Only cached bytes of this version can be read.
  case changed
  /// The bytes do not come: not within the timeout, not after several answers, or because no
  /// address may be asked.
  case unreachable
  /// The disk did not return the bytes before the wait was ended.
  case diskHangs
  /// The network mode is offline.
  case offline
  /// The reader went away.
  case interrupted
  /// The reader is a scanner, and the bytes lie behind those that are fetched for scanners.
  case withheld
  /// Too many reads are waiting already.
  case crowded
  /// The mount is being taken down.
  case ended
}
