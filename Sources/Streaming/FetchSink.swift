package import Blocks

/// Who takes what an origin answers.
package protocol FetchSink: AnyObject, Sendable {
  /// The answer passed the response check; `bytes` of `representation` follow. A `whole` answer is
  /// that of an origin without ranges: it starts at byte 0, whatever was asked.
  func began(_ fetch: FetchID, _ representation: Representation, bytes: ByteRange, whole: Bool)

  /// The next bytes, which lie at `offset` of the representation.
  func received(_ bytes: RawSpan, at offset: Int, in fetch: FetchID)

  /// The last call for `fetch`.
  func ended(_ fetch: FetchID, _ end: FetchEnd)
}
