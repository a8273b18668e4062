/// Faults in the head or the content of a response.
extension Fault {
  func changed(_ response: Response, to request: Request) -> Response {
    var changed = response
    let value = self.value.map { filled($0, for: response) }
    let type = response.headers["Content-Type"] ?? "application/octet-stream"
    switch kind {
    case .status200, .status200chunked, .status200cut, .status200close: changed.becomeWhole()
    case .wrongrange: changed.headers.set("Content-Range", value)
    case .norange: changed.headers.set("Content-Range", nil)
    case .tworanges: changed.headers.add("Content-Range", value ?? "bytes 0-0/\(response.length)")
    case .status: changed = failure(of: response)
    case .redirect: changed = redirect(from: request.target)
    case .html: changed = Response(status: 200, type: "text/html", text: Self.page)
    case .html206: changed.replaceKeepingLength(by: Self.page)
    case .gzip: changed.headers.set("Content-Encoding", value ?? "gzip")
    case .multipart: changed.becomeMultipart(type: type)
    case .partas200: if changed.status == 206 { changed.status = 200 }
    case .shortpart: changed.narrow(to: response.range.prefix(by))
    case .longpart:
      let range = response.range
      changed.narrow(
        to: max(0, range.lowerBound - by)..<min(response.length, range.upperBound + by))
    case .ifrange200: if request.headers["If-Range"] != nil { changed.becomeWhole() }
    case .strict416:
      let last = request.headers["Range"]?.split(separator: "-").last.flatMap { Int($0) } ?? 0
      if response.status == 206, last >= response.length {
        changed = Response(status: 416, type: "text/plain", text: "beyond the end\n")
        changed.headers.set("Content-Range", "bytes */\(response.length)")
      }
    case .etag: changed.headers.set("ETag", value)
    case .weaketag: changed.headers.set("ETag", response.headers["ETag"].map { "W/" + $0 })
    case .noetag: changed.headers.set("ETag", nil)
    case .lastmodified: changed.headers.set("Last-Modified", value)
    case .changed: changed.becomeAnother(for: request)
    case .otherbytes: changed.content = response.content.another
    case .headlies, .contentlength:
      changed.headers.set("Content-Length", value ?? String(response.range.count + 1))
    case .bigheaders: changed.addPadding(Int(value ?? "") ?? 1 << 20)
    case .chunked, .chunkedunended, .short, .long, .end, .reset, .stall, .trickle, .garbage,
      .slowhead, .slicecut:
      break
    }
    changed.hasBody = changed.hasBody && request.method != "HEAD"
    return changed
  }

  private static let page = """
    <!DOCTYPE html><html><head><title>Welcome</title></head>
    <body>Please log in to use this network.</body></html>

    """

  private func failure(of response: Response) -> Response {
    let code = code ?? 500
    var failure = Response(status: code, type: "text/plain", text: "status \(code)\n")
    failure.headers.set("Retry-After", retryAfter)
    let total = value.map { filled($0, for: response) } ?? "bytes */\(response.length)"
    if code == 416 { failure.headers.set("Content-Range", total.isEmpty ? nil : total) }
    return failure
  }

  /// Replaces names in braces in `text` with numbers of `response`.
  private func filled(_ text: String, for response: Response) -> String {
    let numbers = [
      "first": response.range.lowerBound, "last": response.range.upperBound - 1,
      "count": response.range.count, "length": response.length,
    ]
    var filled = ""
    var rest = text[...]
    while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
      let inside = rest[rest.index(after: open)..<close]
      let name = inside.prefix { $0.isLetter }
      let more = inside.dropFirst(name.count)
      filled += rest[..<open]
      if let number = numbers[String(name)], let more = more.isEmpty ? 0 : Int(more) {
        filled += String(number + more)
      } else {
        filled += rest[open...close]
      }
      rest = rest[rest.index(after: close)...]
    }
    return filled + rest
  }

  private func redirect(from target: Target) -> Response {
    let last = to ?? target.text
    let code = code ?? 302
    return hops > 1 ? .hop(hops - 1, to: last, code: code) : .redirect(to: last, code: code)
  }
}

extension Response {
  static func redirect(to location: String, code: Int) -> Response {
    var response = Response(status: code, type: "text/plain", text: "elsewhere\n")
    response.headers.set("Location", location)
    return response
  }

  /// A redirect to `/redirect/LEFT`, which reaches `last` after `left` more redirects.
  static func hop(_ left: Int, to last: String, code: Int) -> Response {
    redirect(to: "/redirect/\(left)?code=\(code)&to=\(percentEncoded(last))", code: code)
  }

  /// The answer at `/redirect/LEFT?code=CODE&to=URL`; nil for any other target.
  static func hop(at target: Target) -> Response? {
    guard target.path.hasPrefix("/redirect/"), let left = Int(target.path.dropFirst(10)),
      let last = target.query["to"]
    else { return nil }
    let code = Int(target.query["code"] ?? "") ?? 302
    return left > 1 ? hop(left - 1, to: last, code: code) : redirect(to: last, code: code)
  }

  /// Turns an answer with a range into an honest one with another range.
  fileprivate mutating func narrow(to bytes: Range<Int>) {
    guard status == 206 else { return }
    range = bytes
    headers.set("Content-Range", "bytes \(bytes.lowerBound)-\(bytes.upperBound - 1)/\(length)")
    headers.set("Content-Length", String(bytes.count))
  }

  /// Turns the response into the one without a range.
  fileprivate mutating func becomeWhole() {
    guard status == 206 || status == 416 else { return }
    status = 200
    range = 0..<length
    headers.set("Content-Range", nil)
    headers.set("Content-Length", String(length))
  }

  /// Turns the response into that of another version: other bytes, another tag. RFC 9110 §13.1.5
  fileprivate mutating func becomeAnother(for request: Request) {
    content = content.another
    headers.set("ETag", "\"another\"")
    if request.headers["If-Range"] != nil { becomeWhole() }
  }

  /// Replaces the content; status, range, length and validator stay.
  fileprivate mutating func replaceKeepingLength(by page: String) {
    let source = Array(page.utf8)
    content = .bytes((0..<range.count).map { source[$0 % source.count] })
    range = 0..<range.count
    headers.set("Content-Type", "text/html")
  }

  fileprivate mutating func becomeMultipart(type: String) {
    let boundary = "THIS_SEPARATES"
    let field = headers["Content-Range"] ?? "bytes */\(length)"
    let text = "--\(boundary)\r\nContent-Type: \(type)\r\nContent-Range: \(field)\r\n\r\n"
    let end = "\r\n--\(boundary)--\r\n"
    headers.set("Content-Range", nil)
    headers.set("Content-Type", "multipart/byteranges; boundary=\(boundary)")
    headers.set("Content-Length", String(text.utf8.count + range.count + end.utf8.count))
    frame = Frame(before: Array(text.utf8), after: Array(end.utf8))
  }

  fileprivate mutating func addPadding(_ count: Int) {
    let line = String(repeating: "x", count: 1000)
    for index in 0..<max(1, count / 1000) { headers.add("X-Padding-\(index)", line) }
  }
}
