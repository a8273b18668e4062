/// A response without faults; a mutable value.
struct Response: Sendable {
  var status: Int
  var headers = HeaderFields()
  /// The whole representation, of `length` bytes; `range` is the part in the body.
  var content: Content = .bytes([])
  var length = 0
  var range = 0..<0
  /// False for HEAD and 304: the head announces a length, but no body follows.
  var hasBody = true
  /// Bytes sent around the body, not counted as body.
  var frame: Frame?

  struct Frame: Sendable {
    let before: [UInt8]
    let after: [UInt8]
  }

  init(status: Int) {
    self.status = status
  }

  /// Creates a response with a short body, without support for ranges.
  init(status: Int, type: String, text: String) {
    self.init(status: status)
    replaceBody(Array(text.utf8), type: type)
  }

  mutating func replaceBody(_ bytes: [UInt8], type: String) {
    content = .bytes(bytes)
    length = bytes.count
    range = 0..<bytes.count
    headers.set("Content-Type", type)
    headers.set("Content-Length", String(bytes.count))
  }

  /// The range of the content that follows the head.
  var body: Range<Int> { hasBody ? range : range.lowerBound..<range.lowerBound }

  var head: [UInt8] {
    let reason = Self.reasons[status] ?? "Unnamed"
    var text = "HTTP/1.1 \(status) \(reason)\r\n"
    for field in headers.fields { text += "\(field.name): \(field.value)\r\n" }
    return Array((text + "\r\n").utf8)
  }

  private static let reasons = [
    200: "OK", 204: "No Content", 206: "Partial Content", 301: "Moved Permanently", 302: "Found",
    303: "See Other", 304: "Not Modified", 307: "Temporary Redirect", 308: "Permanent Redirect",
    400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found",
    405: "Method Not Allowed", 410: "Gone", 412: "Precondition Failed",
    416: "Range Not Satisfiable", 429: "Too Many Requests", 500: "Internal Server Error",
    502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout",
  ]
}
