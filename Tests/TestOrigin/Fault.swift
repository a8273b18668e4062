/// One way in which the origin misbehaves.
struct Fault: Sendable {
  /// The kinds of faults, named as in the control request.
  enum Kind: String, CaseIterable {
    // The metadata is wrong.
    case status200, wrongrange, norange, tworanges, status, redirect, html, html206, gzip
    case partas200, shortpart, longpart, ifrange200, strict416
    case multipart, etag, weaketag, noetag, lastmodified, headlies, bigheaders
    // The answer is well-formed, but of other bytes.
    case changed, otherbytes
    // The bytes on the wire are wrong.
    case status200chunked, status200cut, status200close, chunked, chunkedunended, contentlength,
      short, long, end, reset, stall
    case trickle, garbage, slowhead
    // A proxy skips the rest of a slice that was cut; a slice has `by` bytes.
    case slicecut
  }

  let kind: Kind
  /// Body bytes before the fault; nil: before the head.
  let at: Int?
  /// A literal header value, a length or a delay in ms, depending on the kind. `{first}`, `{last}`,
  /// `{count}` and `{length}` stand for the right values, `{first+1}` for one byte more.
  let value: String?
  /// The number of bytes by which a body is too short or too long.
  let by: Int
  /// The status of `status` and `redirect`.
  let code: Int?
  let retryAfter: String?
  /// The final target of a redirect; nil: the same place again, which is a loop.
  let to: String?
  /// The number of redirects on this server; the last one leads to the final target.
  let hops: Int

  init(_ query: [String: String]) throws(ControlError) {
    guard let kind = query["kind"].flatMap(Kind.init) else {
      throw ControlError("kind is one of \(Kind.allCases.map(\.rawValue).joined(separator: " "))")
    }
    self.kind = kind
    at = query["at"] == "HEAD" ? nil : try query.number("at")
    value = query["value"]
    by = try query.number("by") ?? 1
    code = try query.number("code")
    retryAfter = query["retry_after"]
    to = query["to"]
    hops = try query.number("hops") ?? 1
  }

  /// Copies a fault, with another place in the body.
  init(_ fault: Fault, at: Int) {
    kind = fault.kind
    self.at = at
    value = fault.value
    by = fault.by
    code = fault.code
    retryAfter = fault.retryAfter
    to = fault.to
    hops = fault.hops
  }

  /// True when the fault can happen to a request with this method.
  func concerns(_ method: String) -> Bool {
    kind != .headlies || method == "HEAD"
  }
}
