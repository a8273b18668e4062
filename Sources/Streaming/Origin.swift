package import Blocks

/// Where the bytes of one representation come from.
///
/// Called from any thread; returns at once. What follows is told to the sink on the origin's own
/// thread, in order.
package protocol Origin: Sendable {
  /// Asks for `bytes`; while no answer has told the length, they may reach beyond the end.
  func start(_ fetch: FetchID, of bytes: ByteRange, urgency: Urgency, for sink: any FetchSink)

  /// Nobody wants `fetch` any more; its `ended` may still come, and is ignored.
  func cancel(_ fetch: FetchID)
}

/// The name of a fetch, unique within one representation.
package typealias FetchID = Int

/// Why bytes are asked for: somebody waits for them, or will probably do so soon.
package enum Urgency: Sendable {
  case demand, ahead
}

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
