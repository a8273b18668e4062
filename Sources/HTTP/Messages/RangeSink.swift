package import Blocks

/// The receiver of a range request's bytes.
///
/// All calls come from the client's thread, in order: `accepted` at most once, then `received` any
/// number of times, then `ended`, exactly once in every case. A sink must not block, and may call
/// its client.
package protocol RangeSink: AnyObject, Sendable {
  /// Takes the head of an answer that passed the check; the bytes that it announced follow.
  func accepted(_ answer: AcceptedAnswer)
  /// Takes bytes that passed, valid during the call; `offset` counts from the representation's
  /// start.
  func received(_ bytes: RawSpan, at offset: Int)
  func ended(_ end: TransferEnd)
}

/// The facts that the head of an answer proved.
package struct AcceptedAnswer: Hashable, Sendable {
  package let representation: Representation
  /// The range of the bytes that follow.
  package let bytes: ByteRange
  /// True when the origin has no ranges: the whole body follows, from 0.
  package let isWhole: Bool
  package let contentType: String?
  /// How long the answer stays fresh; nil: it does not say.
  package let freshFor: Duration?
  /// The URL of the bytes after redirects, without userinfo; its query may hold secrets.
  package let finalURL: String
}
