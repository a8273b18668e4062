package import Blocks

/// Requests the bytes of one version from its server.
///
/// Each method can be called on any thread, and returns at once. The origin passes all bytes to the
/// sink on its own thread. It can call `ended` on any thread, even before `start` or `cancel`
/// returns. The calls for one fetch come in order.
package protocol Origin: Sendable {
  /// Requests `bytes`. While the length is not known, `bytes` can reach beyond the end of the file.
  func start(_ fetch: FetchID, of bytes: ByteRange, urgency: Urgency, for sink: any FetchSink)

  /// Requests the last `count` bytes of the version, at the same time as the first fetch, whose
  /// answer will prove the version. The origin holds the answer to this request back until
  /// `settleTail`.
  func startTail(_ fetch: FetchID, of count: Int, for sink: any FetchSink)

  /// Notes that an answer has proved `version`. If the answer to `startTail` is of `version` too,
  /// the sink gets that answer from now on. Otherwise the fetch of `startTail` ends: with `failed`
  /// if its answer broke off, its request was cancelled, or another address is in use now, and with
  /// `impossible` in all other cases.
  func settleTail(as version: Representation)

  /// Requests the bytes of a body of unknown length from `offset` on. The answer can begin at byte
  /// 0 instead. When it begins, the origin calls `grows` of the sink, and not `began`.
  func follow(_ fetch: FetchID, of body: Validator, from offset: Int, for sink: any FetchSink)

  /// Notes that the body of unknown length has ended, which proves that it is the version
  /// `representation`.
  func proved(_ representation: Representation)

  /// Notes that the fetch of a body of unknown length was given up after `limit` bytes.
  func wasTooLong(_ limit: Int)

  /// Raises the urgency of `fetch`, because a reader waits for it now.
  func promote(_ fetch: FetchID)

  /// Cancels `fetch`. The sink ignores all later calls for this fetch.
  func cancel(_ fetch: FetchID)

  /// Requests each of the ranges `places`. Accepts answers with any entity tag, if they tell the
  /// same length as the version. Calls `done` once, on any thread, unless `comparison` is
  /// cancelled.
  func sample(
    _ comparison: FetchID, of places: [ByteRange], done: @escaping @Sendable (Sample) -> Void)

  /// Notes that the origin sends different entity tags for the same bytes. From now on, its tags do
  /// not count when versions of this entry are told apart.
  func ignoreTags()

  /// Notes that an answer broke off, and had brought bytes of a wrong place in the file. For a
  /// while, each request to the origin asks for fewer bytes.
  func wasWrong()
}

/// The identifier of a fetch; unique within one version.
package typealias FetchID = Identifier<FetchKind>

/// The `Kind` of the identifiers of fetches.
package enum FetchKind {}

/// How soon the bytes of a fetch are needed. `demand`: a reader waits for them. `ahead`: a reader
/// will probably ask for them soon. `background`: a reader might ask for them some day.
package enum Urgency: Sendable {
  case demand, ahead, background
}

/// Takes the answers of an origin.
package protocol FetchSink: AnyObject, Sendable {
  /// Notes that the head of the answer was checked and accepted, and that `bytes` of
  /// `representation` follow. `whole` is true if the origin serves no ranges. Then `bytes` begin at
  /// byte 0, whatever range was requested.
  func began(_ fetch: FetchID, _ representation: Representation, bytes: ByteRange, whole: Bool)

  /// Notes that the head of the answer was checked and accepted, and that the bytes of `body`
  /// follow. The answer does not tell the length, or it continues a body of unknown length.
  func grows(_ fetch: FetchID, _ body: GrowingBody)

  /// Takes the next bytes of the answer. `offset` is the place of their first byte in the version.
  func received(_ bytes: RawSpan, at offset: Int, in fetch: FetchID)

  /// Notes that no more bytes of `fetch` are available at the moment. Soon after each series of
  /// calls of `received`, the origin calls this or `ended`.
  func rested(_ fetch: FetchID)

  /// Notes how `fetch` ended. This is the last call for `fetch`.
  func ended(_ fetch: FetchID, _ end: FetchEnd)
}

/// How a fetch ended, which decides what follows (docs/internals/semantics.md).
package enum FetchEnd: Hashable, Sendable {
  /// Every announced byte arrived.
  case complete
  /// No answer came: the host's name was not resolved, no connection was made, or no response head
  /// came. The `Origin` itself delays the next request.
  case unanswered
  /// The answer broke off, its head was not accepted, or it was a server error.
  case failed
  /// Status 429 or 503. `after` is the delay that the origin asks for; nil if it asks for none.
  case busy(after: Duration?)
  /// Status 401, 403, 404 or 410. The address may have expired, and the feed may know a new one.
  case gone
  /// The answer looks like that of an expired address, or of a network that wants a login. The feed
  /// may know a new address.
  case mayBeGone
  /// The origin now serves another version under this address.
  case changed
  /// The entity tag is another one, though the length is the same. Only the bytes can show whether
  /// the origin now serves another version.
  case doubted
  /// Status 416: the requested range lies beyond the end of the file. `length` is the length of the
  /// file if the origin sent it, otherwise nil.
  case unsatisfiable(length: Int?)
  /// No address can be used: the scheme or the host of each is not allowed, or its answer has shown
  /// that the address can never be used.
  case blocked
  /// No request can bring the next bytes of the fetch, but other bytes of the version can be
  /// fetched. For a fetch by `startTail`: the origin does not serve such requests as it should.
  case impossible
}

/// The outcome of `Origin.sample`, which requests bytes after an answer with another entity tag.
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

  /// The bytes of all requested places, from answers whose entity tag differs from the version's.
  /// Not empty.
  case pieces([Piece])
  /// Several answers in a row had the entity tag of the version, so nothing was learned about the
  /// bytes under the other tag.
  case known
  /// A request brought no bytes, and ended in this way.
  case ended(FetchEnd)
}
