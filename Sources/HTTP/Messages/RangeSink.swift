package import Blocks

/// Where the bytes of a range request go.
///
/// All calls come from the client's thread, in order: `accepted` at most once, then `received` any
/// number of times, then `ended`, exactly once in every case. A sink must not block, and may call
/// its client.
package protocol RangeSink: AnyObject, Sendable {
  /// The head of the answer passed the check; what follows are the bytes it announced.
  func accepted(_ answer: AcceptedAnswer)
  /// Bytes that passed, valid during the call; `offset` counts from the representation's begin.
  func received(_ bytes: RawSpan, at offset: Int)
  func ended(_ end: TransferEnd)
}

/// What the head of an answer proved.
package struct AcceptedAnswer: Hashable, Sendable {
  package let representation: Representation
  /// The bytes that follow.
  package let bytes: ByteRange
  /// The origin has no ranges: the whole body follows, from 0.
  package let isWhole: Bool
  package let contentType: String?
  /// How long the answer says that it holds; nil: it does not say.
  package let freshFor: Duration?
  /// Where the bytes come from after redirects, without userinfo; its query may hold secrets.
  package let finalURL: String
}
