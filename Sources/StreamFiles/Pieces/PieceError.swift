import Blocks
package import Filling
import HTTP
import Streams

/// The reason why a stream, or a part of it, cannot be read now.
package struct PieceError: Error, Hashable, Sendable {
  package let end: FetchEnd
  /// The reason as the status shows it; nil if the origin did nothing wrong.
  package let words: String?
  /// True if another request would be of no use.
  package let isVerdict: Bool
  /// True if nothing is at the address (404 or 410). Other pieces of the stream may be there.
  var isMissing = false
  /// True if the address may have expired, though the answer does not say so.
  package var mayBeGone = false
  /// True if the stream has no end yet.
  package var isBroadcast = false
  /// True if only a part of the stream cannot be read. The other parts are there.
  var isOfPart = false
  /// True if the address leads to a single file, which can be read without conversion.
  package var isOfFile = false

  package init(_ end: FetchEnd, _ words: String?, isVerdict: Bool = false) {
    (self.end, self.words, self.isVerdict) = (end, words, isVerdict)
  }

  /// Creates the error of a request for `range` of a resource that has ended with `end`.
  init(_ end: TransferEnd, of range: ByteRange) {
    switch end {
    // The origin refuses bytes that it has, as the length in its answer shows. If this counted as
    // the end of the resource, readers would never get these bytes.
    case .unsatisfiable(let length?) where length > range.lowerBound:
      self.init(.failed, "the origin refuses to send bytes of the stream that it claims to have")
    // The length in the answer is the resource's. It must not be taken for the length of the
    // stream's file.
    case .unsatisfiable, .doubted: self.init(.changed, "the stream has changed at its origin")
    default: self.init(FetchEnd(end), end.trouble, isVerdict: end.isVerdict)
    }
    if case .gone(let status, _) = end { isMissing = status == 404 || status == 410 }
    mayBeGone = end.mayBeGone
  }

  init(_ error: HTTPError) {
    switch error {
    // The next request may be answered by another server behind the same address.
    case .refused(_, let fault) where !fault.isVerdict: self.init(.failed, error.description)
    case .blocked, .badURL:
      self.init(.blocked, error.description, isVerdict: true)
    case .refused(_, let fault):
      self.init(.blocked, error.description, isVerdict: true)
      mayBeGone = fault.mayBeGone
    case .unanswered, .unavailable: self.init(.unanswered, error.description)
    case .cancelled: self.init(.unanswered, nil)
    case .busy(_, let delay): self.init(.busy(after: delay), error.description)
    case .status(_, let status, _):
      let isGone = [401, 403, 404, 410].contains(status)
      self.init(isGone ? .gone : .failed, error.description)
      mayBeGone = !isGone && ResponseFault.unexpectedStatus(status).mayBeGone
    case .broken, .badAddressBlock, .badHeader, .badPin, .badProxy:
      self.init(.failed, error.description)
    }
  }

  /// Creates the verdict that no file can be made of a stream.
  init(_ error: StreamError) {
    self.init(.blocked, error.words, isVerdict: true)
    if case .unfinished = error { isBroadcast = true }
  }

  /// Creates the error of a slot that cannot be made. Malformed or truncated bytes may be right in
  /// the next answer. Bytes that no slot can have will come again, so the slot is `impossible`.
  init(ofSlot error: StreamError) {
    switch error {
    case .unsupported, .tooLarge, .unfinished: self.init(.impossible, error.words)
    case .malformed, .truncated: self.init(.failed, error.words)
    }
  }

  /// Creates the error for any fault in the work on a stream.
  init(any error: any Error) {
    switch error {
    case let trouble as PieceError: self = trouble
    case let error as StreamError: self.init(error)
    case let error as HTTPError: self.init(error)
    default: self.init(.unanswered, nil)
    }
  }

  /// The same error, as one that affects only a part of the stream.
  var ofPart: PieceError {
    var trouble = self
    trouble.isOfPart = true
    return trouble
  }

  /// The error to report when a search for new addresses has found none. If the bytes are surely
  /// gone, or have changed, only a part of the stream is lost. If `mayBeGone` is true, the error
  /// stays as it is, because all addresses of the stream may have expired.
  var ofPartIfGone: PieceError { mayBeGone ? self : ofPart }

  /// True if the same request may succeed in a moment. It is false for a cancelled request, which
  /// has no words.
  var isPassing: Bool {
    switch end {
    case .unanswered, .failed, .busy: words != nil
    case .complete, .gone, .mayBeGone, .changed, .doubted, .unsatisfiable, .blocked, .impossible:
      false
    }
  }
}
