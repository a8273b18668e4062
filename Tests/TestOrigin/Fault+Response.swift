/// Faults in what a response says.
extension Fault {
  func changed(_ response: Response, to request: Request) -> Response {
    var changed = response
    let type = response.headers["Content-Type"] ?? "application/octet-stream"
    switch kind {
    case .status200, .status200chunked: changed.becomeWhole()
    case .wrongrange: changed.headers.set("Content-Range", value)
    case .norange: changed.headers.set("Content-Range", nil)
    case .tworanges: changed.headers.add("Content-Range", value ?? "bytes 0-0/\(response.length)")
    case .status: changed = failure(of: response)
    case .redirect: changed = redirect(from: request.target)
    case .html: changed = Response(status: 200, type: "text/html", text: Self.page)
    case .html206: changed.replaceKeepingLength(by: Self.page)
    case .gzip: changed.headers.set("Content-Encoding", "gzip")
    case .multipart: changed.becomeMultipart(type: type)
    case .etag: changed.headers.set("ETag", value)
    case .weaketag: changed.headers.set("ETag", response.headers["ETag"].map { "W/" + $0 })
    case .noetag: changed.headers.set("ETag", nil)
    case .headlies, .contentlength:
      changed.headers.set("Content-Length", value ?? String(response.range.count + 1))
    case .bigheaders: changed.addPadding(Int(value ?? "") ?? 1 << 20)
    case .chunkedunended, .short, .long, .reset, .stall, .trickle, .garbage, .slowhead: break
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
    if code == 416 { failure.headers.set("Content-Range", "bytes */\(response.length)") }
    return failure
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

  /// To `/redirect/LEFT`, which leads on to `last` in that many steps.
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

  /// As if no range had been asked for.
  fileprivate mutating func becomeWhole() {
    guard status == 206 || status == 416 else { return }
    status = 200
    range = 0..<length
    headers.set("Content-Range", nil)
    headers.set("Content-Length", String(length))
  }

  /// Other content under the same status, range, length and validator.
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
