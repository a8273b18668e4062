/// One way in which the origin misbehaves.
struct Fault: Sendable {
  /// The names are those of the control request.
  enum Kind: String, CaseIterable {
    // What is said is wrong.
    case status200, wrongrange, norange, tworanges, status, redirect, html, html206, gzip
    case multipart, etag, weaketag, noetag, lastmodified, headlies, bigheaders
    // It is said rightly of something else.
    case changed, otherbytes
    // What goes over the wire is wrong.
    case status200chunked, chunked, chunkedunended, contentlength, short, long, end, reset, stall
    case trickle, garbage, slowhead
    // A proxy that goes on with its next slice where one was cut; `by` are the bytes of a slice.
    case slicecut
  }

  let kind: Kind
  /// Body bytes before it happens; nil: before the head.
  let at: Int?
  /// A literal header value, a length or a delay in ms, as the kind needs it; `{first}`, `{last}`,
  /// `{count}` and `{length}` stand for what would be right, `{first+1}` for one byte more.
  let value: String?
  /// By how many bytes a body is too short or too long.
  let by: Int
  /// The status of `status` and `redirect`.
  let code: Int?
  let retryAfter: String?
  /// Where a redirect leads in the end; nil: to the same place again, which is a loop.
  let to: String?
  /// Redirects on this server before that.
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

  /// The same, happening so many bytes of the body later.
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

  /// Whether it can happen to a request of that method.
  func concerns(_ method: String) -> Bool {
    kind != .headlies || method == "HEAD"
  }
}
