package import Blocks

/// The source of one version's bytes.
///
/// Any thread may call, and every call returns at once. The origin calls the sink on its own
/// thread, in order.
package protocol Origin: Sendable {
  /// Asks for `bytes`. They may reach beyond the end as long as the length is not known.
  func start(_ fetch: FetchID, of bytes: ByteRange, urgency: Urgency, for sink: any FetchSink)

  /// Asks for the last `count` bytes beside the first fetch, whose answer will prove the version. The
  /// sink gets nothing of the answer before `settleTail`.
  func startTail(_ fetch: FetchID, of count: Int, for sink: any FetchSink)

  /// Notes that an answer has proved `version`. If the end is of that version, gives the sink its
  /// bytes, those that have come and those that will. Otherwise the fetch ends: `failed` if the
  /// answer broke off or the request was cancelled, else `impossible`.
  func settleTail(as version: Representation)

  /// Asks for all bytes from `offset` on of a body whose length is not known. The answer may begin at
  /// byte 0 instead. The sink gets `grows`.
  func follow(_ fetch: FetchID, of body: Validator, from offset: Int, for sink: any FetchSink)

  /// Notes that a body of unknown length has come to its end, and is this version.
  func proved(_ representation: Representation)

  /// Notes that a body without length has more than the `limit` of bytes that are read.
  func wasTooLong(_ limit: Int)

  /// Raises the urgency of `fetch`, because a reader waits for it now.
  func promote(_ fetch: FetchID)

  /// Cancels `fetch`. Its `ended` may still come, and is ignored.
  func cancel(_ fetch: FetchID)

  /// Asks for each of `places`, whatever tag the answers name. They must have the length of the
  /// version. Calls `done` once, on the origin's thread, unless `comparison` is cancelled.
  func sample(
    _ comparison: FetchID, of places: [ByteRange], done: @escaping @Sendable (Sample) -> Void)

  /// Notes that the origin names the same bytes by several tags. From now on they do not count there.
  func ignoreTags()

  /// Notes that an answer continued at the wrong place after a break. The origin then asks for few
  /// bytes at a time.
  func wasWrong()
}

/// The name of a fetch, unique within one version.
package typealias FetchID = Identifier<FetchKind>

/// Marks the numbers of fetches.
package enum FetchKind {}

/// The reason for a fetch. `demand`: a reader waits for the bytes. `ahead`: a reader will probably
/// ask for them soon. `background`: a reader may ask for them one day.
package enum Urgency: Sendable {
  case demand, ahead, background
}

/// Takes the answers of an origin.
package protocol FetchSink: AnyObject, Sendable {
  /// Notes that the answer passed the response check, and that `bytes` of `representation` follow.
  /// A `whole` answer comes from an origin without ranges. It starts at byte 0, whatever range was
  /// asked for.
  func began(_ fetch: FetchID, _ representation: Representation, bytes: ByteRange, whole: Bool)

  /// Notes that the answer passed the check, but its length is not known. The bytes of `body`
  /// follow.
  func grows(_ fetch: FetchID, _ body: GrowingBody)

  /// Takes the next bytes. They begin at `offset` of the version.
  func received(_ bytes: RawSpan, at offset: Int, in fetch: FetchID)

  /// Notes that no more bytes of `fetch` come at this moment. After the last call of `received`, this
  /// or `ended` follows soon.
  func rested(_ fetch: FetchID)

  /// Notes the end of `fetch`. This is the last call for it.
  func ended(_ fetch: FetchID, _ end: FetchEnd)
}

/// The end of a fetch. The next step depends on it (docs/internals/semantics.md).
package enum FetchEnd: Hashable, Sendable {
  /// Every announced byte arrived.
  case complete
  /// No answer: the name was not resolved, no connection was made, or no head came. The origin
  /// itself holds back the next try.
  case unanswered
  /// The answer broke off, failed the response check, or was a server error.
  case failed
  /// 429 or 503, with the wait that the origin asks for.
  case busy(after: Duration?)
  /// 401, 403, 404 or 410. The address may have expired, and the feed may know a new one.
  case gone
  /// An answer that an expired address may have, or a network that wants a login. The feed may know a
  /// new address.
  case mayBeGone
  /// The origin now serves another version under this address.
  case changed
  /// The origin names the version by another tag. Its bytes must show whether it is another one.
  case doubted
  /// 416: the range lies outside the origin's bytes. `length` is their length if the origin sent
  /// it.
  case unsatisfiable(length: Int?)
  /// The address must not be asked, because its scheme or host is not allowed.
  case blocked
  /// The bytes that come next cannot be had, and no other answer would change that. Others can. After
  /// a request for an end: the origin is not asked for ends any more.
  case impossible
}

/// The outcome of a question for some bytes of a version, whatever its tag is.
package enum Sample: Hashable, Sendable {
  /// A run of bytes and its place in the version.
  package struct Piece: Hashable, Sendable {
    package let offset: Int
    package let bytes: [UInt8]

    package init(offset: Int, bytes: [UInt8]) {
      self.offset = offset
      self.bytes = bytes
    }
  }

  /// Bytes that came with a tag other than that of the version; not empty.
  case pieces([Piece])
  /// All answers had the tag of the version, so they say nothing about the other one.
  case known
  case ended(FetchEnd)
}
