package import Blocks

/// The origin of one version's bytes.
///
/// Any thread may call, and every call returns at once. The origin calls the sink on its own
/// thread. The calls for one fetch come in order.
package protocol Origin: Sendable {
  /// Asks for `bytes`. As long as the length is not known, the range may reach beyond the end.
  func start(_ fetch: FetchID, of bytes: ByteRange, urgency: Urgency, for sink: any FetchSink)

  /// Asks for the last `count` bytes of the version, at the same time as the first fetch, whose
  /// answer will prove the version. The origin holds the answer back until `settleTail`.
  func startTail(_ fetch: FetchID, of count: Int, for sink: any FetchSink)

  /// Notes that an answer has proved `version`. If the answer to `startTail` is of that version,
  /// the sink gets it from now on. Otherwise that fetch ends: with `failed` if the answer broke off
  /// or the request was cancelled, else with `impossible`.
  func settleTail(as version: Representation)

  /// Asks for the rest of a body of unknown length, from `offset` on. The answer may begin at byte
  /// 0 instead. The sink is told by `grows` instead of `began`.
  func follow(_ fetch: FetchID, of body: Validator, from offset: Int, for sink: any FetchSink)

  /// Notes that the body of unknown length has ended, and is this version.
  func proved(_ representation: Representation)

  /// Notes that the fetch of a body without length was given up after `limit` bytes.
  func wasTooLong(_ limit: Int)

  /// Raises the urgency of `fetch`, because a reader waits for it now.
  func promote(_ fetch: FetchID)

  /// Cancels `fetch`. The sink ignores calls for it that still come.
  func cancel(_ fetch: FetchID)

  /// Asks for each of `places`, whatever entity tag the answers have. Answers for another length
  /// than that of the version do not count. Calls `done` once, on any thread, unless `comparison`
  /// is cancelled.
  func sample(
    _ comparison: FetchID, of places: [ByteRange], done: @escaping @Sendable (Sample) -> Void)

  /// Notes that the origin gives the same bytes several entity tags. From now on its tags do not
  /// tell versions of this entry apart.
  func ignoreTags()

  /// Notes that an answer that broke off had bytes of a wrong place. For a while, requests ask for
  /// fewer bytes at a time.
  func wasWrong()
}

/// The name of a fetch, unique within one version.
package typealias FetchID = Identifier<FetchKind>

/// Marks the numbers of fetches.
package enum FetchKind {}

/// How soon the bytes of a fetch are needed. `demand`: a reader waits for them. `ahead`: a reader
/// will probably ask for them soon. `background`: a reader may ask for them one day.
package enum Urgency: Sendable {
  case demand, ahead, background
}

/// Takes the answers of an origin.
package protocol FetchSink: AnyObject, Sendable {
  /// Notes that the answer passed the response check, and that `bytes` of `representation` follow.
  /// An answer is `whole` if the origin serves no ranges. It starts at byte 0, whatever range was
  /// asked for.
  func began(_ fetch: FetchID, _ representation: Representation, bytes: ByteRange, whole: Bool)

  /// Notes that the answer passed the response check, and has no length or continues a body without
  /// length. The bytes of `body` follow.
  func grows(_ fetch: FetchID, _ body: GrowingBody)

  /// Takes the next bytes of the answer. `offset` is the place of the first one in the version.
  func received(_ bytes: RawSpan, at offset: Int, in fetch: FetchID)

  /// Notes that no more bytes of `fetch` are there at this moment. After each run of `received`,
  /// this or `ended` follows soon.
  func rested(_ fetch: FetchID)

  /// Notes how `fetch` ended. This is the last call for it.
  func ended(_ fetch: FetchID, _ end: FetchEnd)
}

/// How a fetch ended. It decides the next step (docs/internals/semantics.md).
package enum FetchEnd: Hashable, Sendable {
  /// Every announced byte arrived.
  case complete
  /// No answer came: the host's name was not resolved, no connection was made, or no head came. The
  /// `Origin` itself delays the next request.
  case unanswered
  /// The answer broke off, failed the response check, or was a server error.
  case failed
  /// 429 or 503. `after` is the wait that the origin asks for; nil if it names none.
  case busy(after: Duration?)
  /// 401, 403, 404 or 410. The address may have expired, and the feed may know a new one.
  case gone
  /// The answer may be that of an expired address, or of a network that wants a login. The feed may
  /// know a new address.
  case mayBeGone
  /// The origin now serves another version under this address.
  case changed
  /// The entity tag is another one, though the length is the same. Only the bytes can show whether
  /// the origin now serves another version.
  case doubted
  /// 416: the range lies outside the origin's bytes. `length` is their length if the origin sent
  /// it.
  case unsatisfiable(length: Int?)
  /// No address may be asked: its scheme or host is not allowed, or its answer has shown that it
  /// can never be used.
  case blocked
  /// The next bytes of the fetch cannot be had, and no other request would bring them. Other bytes
  /// of the version can be had. For a fetch by `startTail` it means that the origin does not serve
  /// such requests as it should.
  case impossible
}

/// The outcome of a `sample`: bytes of a version under another entity tag.
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

  /// The bytes of all places, from answers whose tag differs from that of the version; not empty.
  case pieces([Piece])
  /// Several answers in a row had the tag of the version, so nothing was learned about the other
  /// one.
  case known
  /// A request brought no bytes.
  case ended(FetchEnd)
}
