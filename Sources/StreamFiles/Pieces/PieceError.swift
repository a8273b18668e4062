import Blocks
package import Filling
import HTTP
import Streams

/// The reason why a stream, or a piece of it, cannot be had now.
package struct PieceError: Error, Hashable, Sendable {
  package let end: FetchEnd
  /// The reason as the status shows it; nil if the origin did nothing wrong.
  package let words: String?
  /// True if another request would be of no use.
  package let isVerdict: Bool
  /// True if there is nothing at the address, though others of the same stream may be there.
  var isMissing = false
  /// True if the address may have run out, though the answer does not say so.
  package var mayBeGone = false
  /// True if the stream has no end yet.
  package var isBroadcast = false
  /// True if the rest of the stream is there.
  var isOfPart = false
  /// True if the address has a file that can be read as it is.
  package var isOfFile = false

  package init(_ end: FetchEnd, _ words: String?, isVerdict: Bool = false) {
    (self.end, self.words, self.isVerdict) = (end, words, isVerdict)
  }

  /// The end of a request for `range` of a resource.
  init(_ end: TransferEnd, of range: ByteRange) {
    switch end {
    // It has the bytes that it refuses. If this answer counted, the film would have a hole for
    // good.
    case .unsatisfiable(let length?) where length > range.lowerBound:
      self.init(.failed, "the origin refuses bytes of its stream that it says it has")
    // The length of a resource is not that of the film.
    case .unsatisfiable, .doubted: self.init(.changed, "its stream has changed")
    default: self.init(FetchEnd(end), end.trouble, isVerdict: end.isVerdict)
    }
    if case .gone(let status, _) = end { isMissing = status == 404 || status == 410 }
    mayBeGone = end.mayBeGone
  }

  init(_ error: HTTPError) {
    switch error {
    // Another server behind the same address may answer the next time.
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

  /// The verdict on a whole stream.
  init(_ error: StreamError) {
    self.init(.blocked, error.words, isVerdict: true)
    if case .unfinished = error { isBroadcast = true }
  }

  /// The trouble of a slot that cannot be made. Broken bytes may be right the next time. Other
  /// bytes that make no slot will be the same.
  init(ofSlot error: StreamError) {
    switch error {
    case .unsupported, .tooLarge, .unfinished: self.init(.impossible, error.words)
    case .malformed, .truncated: self.init(.failed, error.words)
    }
  }

  /// Takes any error of the work on a stream.
  init(any error: any Error) {
    switch error {
    case let trouble as PieceError: self = trouble
    case let error as StreamError: self.init(error)
    case let error as HTTPError: self.init(error)
    default: self.init(.unanswered, nil)
    }
  }

  /// The same trouble, of a part of the stream alone.
  var ofPart: PieceError {
    var trouble = self
    trouble.isOfPart = true
    return trouble
  }

  /// The same trouble, of a part alone unless the origin has only found fault with the request.
  var ofPartIfGone: PieceError { mayBeGone ? self : ofPart }

  /// True if the same request may succeed in a moment.
  var isPassing: Bool {
    switch end {
    case .unanswered, .failed, .busy: words != nil
    case .complete, .gone, .mayBeGone, .changed, .doubted, .unsatisfiable, .blocked, .impossible:
      false
    }
  }
}
