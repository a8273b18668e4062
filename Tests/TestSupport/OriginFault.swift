/// The ways in which the test origin can misbehave: the cases of `Fault.Kind` in `TestOrigin`.
package enum OriginFault: String, CaseIterable, Sendable {
  /// The whole body instead of a range, with a length or in chunks.
  case status200, status200chunked
  /// The whole body in chunks that break off after `after` bytes; the whole body without a length,
  /// up to the end of the connection.
  case status200cut, status200close
  /// The Content-Range `value`, none, or a second one (`value`).
  case wrongrange, norange, tworanges
  /// The status `code`, with `retry_after` if it is given.
  case status
  /// `hops` redirects on this server with `code`, the last one to `to`; a loop without `to`.
  case redirect
  /// A login page: as a 200, or in place of the bytes of a correct 206.
  case html, html206
  /// A part with status 200; an honest part of `by` bytes at most; one with `by` bytes more at each
  /// side; the whole for each If-Range; 416 for a range that reaches beyond the end.
  case partas200, shortpart, longpart, ifrange200, strict416
  /// `value` (default gzip) as Content-Encoding; a multipart body.
  case gzip, multipart
  /// `value` as ETag, a weak one, or none.
  case etag, weaketag, noetag
  /// `value` as Last-Modified.
  case lastmodified
  /// Another version; other bytes under the same tag.
  case changed, otherbytes
  /// The length `value` (default: one byte too many) in the answer to HEAD, or in any answer.
  case headlies, contentlength
  /// `value` bytes of meaningless header fields.
  case bigheaders
  /// `by` bytes fewer or more than announced; chunks; chunks that never end.
  case short, long, chunked, chunkedunended
  /// FIN, RST, silence, or one byte a second: after `after` bytes of the body, or before the head.
  case end, reset, stall, trickle
  /// Bytes that are not HTTP.
  case garbage
  /// A head that comes `value` milliseconds late.
  case slowhead
  /// A proxy that skips the rest of a slice that was cut; a slice has `by` bytes.
  case slicecut
}
