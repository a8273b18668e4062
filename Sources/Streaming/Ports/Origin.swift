package import Blocks

/// Where the bytes of one representation come from.
///
/// Called from any thread; returns at once. What follows is told to the sink on the origin's own
/// thread, in order.
package protocol Origin: Sendable {
  /// Asks for `bytes`; while no answer has told the length, they may reach beyond the end.
  func start(_ fetch: FetchID, of bytes: ByteRange, urgency: Urgency, for sink: any FetchSink)

  /// Somebody waits for `fetch` now, whatever its urgency was.
  func hasten(_ fetch: FetchID)

  /// Nobody wants `fetch` any more; its `ended` may still come, and is ignored.
  func cancel(_ fetch: FetchID)

  /// An answer of it went on elsewhere behind a break: it is to be asked for little at once.
  func wasWrong()
}

/// The name of a fetch, unique within one representation.
package typealias FetchID = Int

/// Why bytes are asked for: somebody waits for them, will probably do so soon, or may do so one day.
package enum Urgency: Sendable {
  case demand, ahead, background
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

/// How a fetch ended, in the words that decide what follows (docs/semantics.md).
package enum FetchEnd: Hashable, Sendable {
  /// Every announced byte arrived.
  case complete
  /// Nothing answered: no name, no connection, no head. The origin itself holds back the next try.
  case unanswered
  /// An answer broke off, or failed the response check, or was an error of the server.
  case failed
  /// 429 or 503, with the time for which the origin asks to be left alone.
  case busy(after: Duration?)
  /// 401, 403, 404, 410: the address may have expired, and the feed may know a new one.
  case gone
  /// The origin now serves another version under this address.
  case changed
  /// 416: the range lies outside what the origin has; with its length where it told it.
  case unsatisfiable(length: Int?)
  /// Nothing may be asked at this address: its scheme or host is not allowed.
  case blocked
}
