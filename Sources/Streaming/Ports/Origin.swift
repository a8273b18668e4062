package import Blocks

/// The source of one version's bytes.
///
/// For any thread; returns at once. The origin calls the sink on its own thread, in order.
package protocol Origin: Sendable {
  /// Asks for `bytes`; until an answer has told the length, they may reach beyond the end.
  func start(_ fetch: FetchID, of bytes: ByteRange, urgency: Urgency, for sink: any FetchSink)

  /// Raises the urgency of `fetch`: a reader waits for it now.
  func promote(_ fetch: FetchID)

  /// Cancels `fetch`; its `ended` may still come, and is ignored.
  func cancel(_ fetch: FetchID)

  /// Notes that an answer continued at the wrong place after a break: ask for little at once now.
  func wasWrong()
}

/// The name of a fetch, unique within one version.
package typealias FetchID = Identifier<FetchKind>

/// Marks the numbers of fetches.
package enum FetchKind {}

/// The reason for a fetch: a reader waits for the bytes, probably will soon, or may one day.
package enum Urgency: Sendable {
  case demand, ahead, background
}

/// Takes the answers of an origin.
package protocol FetchSink: AnyObject, Sendable {
  /// The answer passed the response check; `bytes` of `representation` follow. A `whole` answer
  /// comes from an origin without ranges: it starts at byte 0, whatever range was asked for.
  func began(_ fetch: FetchID, _ representation: Representation, bytes: ByteRange, whole: Bool)

  /// The next bytes, which begin at `offset` of the version.
  func received(_ bytes: RawSpan, at offset: Int, in fetch: FetchID)

  /// The last call for `fetch`.
  func ended(_ fetch: FetchID, _ end: FetchEnd)
}

/// The end of a fetch, in the terms that decide what follows (docs/semantics.md).
package enum FetchEnd: Hashable, Sendable {
  /// Every announced byte arrived.
  case complete
  /// No answer: no name, no connection, or no head. The origin itself holds back the next try.
  case unanswered
  /// The answer broke off, failed the response check, or was a server error.
  case failed
  /// 429 or 503, with the wait that the origin asks for.
  case busy(after: Duration?)
  /// 401, 403, 404, 410: the address may have expired, and the feed may know a new one.
  case gone
  /// The origin now serves another version under this address.
  case changed
  /// 416: the range lies outside the origin's bytes; with their length if the origin told it.
  case unsatisfiable(length: Int?)
  /// This address may not be asked: its scheme or host is not allowed.
  case blocked
}
