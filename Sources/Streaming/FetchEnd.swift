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
