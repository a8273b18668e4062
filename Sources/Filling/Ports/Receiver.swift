package import Blocks

/// A caller whose answer can come later. It gets exactly one answer, on any thread.
package protocol Receiver: Sendable {
  /// Announces that the answer will come later. The filler calls this before any other thread can
  /// give the answer. The receiver is allowed to call `cancel` at any time and on any thread. The
  /// wait then fails with `interrupted`, or with `diskHangs` if the disk is being read. Returns
  /// false to refuse the wait, which then fails with `crowded`.
  func willWait(cancel: @escaping @Sendable () -> Void) -> Bool

  /// Takes an error instead of the answer.
  func fail(_ error: ReadError)
}

/// A caller that reads bytes.
package protocol ByteReceiver: Receiver {
  /// Takes the bytes that the caller asked for. There are fewer bytes only at the end of the
  /// version. Returns false if `bytes` could not be read from the cache. Even then, this counts as
  /// the answer.
  func receive(_ bytes: RawSpan) -> Bool
}

/// A caller that opens a file.
package protocol ProofReceiver: Receiver {
  /// True if the caller is known to inspect media files without playing them. False by default.
  var isLooker: Bool { get }

  /// True if the caller is known to read only the type of the file. False by default.
  var isScanner: Bool { get }

  /// Takes the version, once an answer has proved it.
  func proved(_ representation: Representation)

  /// Notes that the file can be read as it grows, though its length is not proved. Returns true if
  /// that is enough for the receiver. Returns false if the receiver waits on until the length is
  /// proved, as long as bytes come.
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
  /// The bytes did not come within the timeout or in several answers, or no address can be used.
  case unreachable
  /// The disk did not return the bytes before the wait was ended.
  case diskHangs
  /// The network mode is offline.
  case offline
  /// The reader has cancelled its wait.
  case interrupted
  /// The reader is a scanner, which reads only the type of the file, and the bytes lie beyond the
  /// head that is fetched for scanners.
  case withheld
  /// Too many reads are waiting already.
  case crowded
  /// The mount is being taken down.
  case ended
}
