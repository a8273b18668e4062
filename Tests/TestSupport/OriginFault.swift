/// The ways in which the test origin can misbehave; those of `Fault.Kind` in `TestOrigin`.
package enum OriginFault: String, CaseIterable, Sendable {
  /// The whole body instead of a range, with its length or in chunks.
  case status200, status200chunked
  /// `value` as Content-Range, none, or a second one (`value`).
  case wrongrange, norange, tworanges
  /// The status `code`, with `retry_after` if that is given.
  case status
  /// `hops` redirects on this server, with `code`, the last one to `to`; without `to` a loop.
  case redirect
  /// A page that wants the user to log in: as a 200, or in place of the bytes of a right 206.
  case html, html206
  /// `value` as Content-Encoding, gzip if there is none; parts in the place of bytes.
  case gzip, multipart
  /// `value` as ETag, a weak one, or none.
  case etag, weaketag, noetag
  /// `value` as Last-Modified.
  case lastmodified
  /// Another version, and the same tag with other bytes.
  case changed, otherbytes
  /// The length `value` (or one byte more than is right) in the answer to HEAD, or to anything.
  case headlies, contentlength
  /// `value` bytes of fields that mean nothing.
  case bigheaders
  /// `by` bytes less, or more, than were announced; chunks, and chunks that never end.
  case short, long, chunked, chunkedunended
  /// At `after` bytes of the body, or before the head: FIN, RST, nothing more, or a byte a second.
  case end, reset, stall, trickle
  /// Something that is no HTTP.
  case garbage
  /// The head comes after `value` milliseconds.
  case slowhead
  /// Goes on with the next slice, of so many bytes (`by`), where one is cut.
  case slicecut
}
