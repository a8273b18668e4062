/// The resource at a path at this moment, and its answers to requests.
struct Resource: Sendable {
  var content: Content
  var length: Int
  var type: String
  var etag: String?
  /// Seconds since 1970.
  var lastModified: Int?
  /// Fields of every answer; they replace fields with the same names.
  var extra = HeaderFields()

  func response(to request: Request) -> Response {
    guard request.method == "GET" || request.method == "HEAD" else {
      return Response(status: 405, type: "text/plain", text: "GET and HEAD only\n")
    }
    var response = answer(to: request)
    if request.method == "HEAD" { response.hasBody = false }
    return response
  }

  private func answer(to request: Request) -> Response {
    var response = Response(status: 200)
    response.content = content
    response.length = length
    response.range = 0..<length
    response.headers = baseHeaders
    if isUnchanged(for: request) {
      response.status = 304
      response.hasBody = false
    } else if request.method == "GET", validatorHolds(for: request),
      let asked = request.headers["Range"].flatMap({ RequestedRange($0) })
    {
      take(asked, in: &response)
    } else {
      response.headers.set("Content-Length", String(length))
    }
    for field in extra.fields { response.headers.set(field.name, field.value) }
    return response
  }

  private var baseHeaders: HeaderFields {
    var headers = HeaderFields()
    headers.add("Accept-Ranges", "bytes")
    headers.add("Content-Type", type)
    headers.set("ETag", etag)
    headers.set("Last-Modified", lastModified.map(HTTPDate.text))
    return headers
  }

  private func take(_ asked: RequestedRange, in response: inout Response) {
    if let bytes = asked.bytes(of: length) {
      response.status = 206
      response.range = bytes
      response.headers.set(
        "Content-Range", "bytes \(bytes.lowerBound)-\(bytes.upperBound - 1)/\(length)")
      response.headers.set("Content-Length", String(bytes.count))
    } else {
      response.status = 416
      response.range = 0..<0
      response.headers.set("Content-Length", "0")
      response.headers.set("Content-Range", "bytes */\(length)")
    }
  }

  /// True by If-None-Match (weak comparison), or else by If-Modified-Since. RFC 9110 §13.1.2,
  /// §13.1.3
  private func isUnchanged(for request: Request) -> Bool {
    if let list = request.headers["If-None-Match"] {
      let known = list.split(separator: ",").map { opaque(String($0)) }
      return known == ["*"] || etag.map { known.contains(opaque($0)) } ?? false
    }
    guard let since = request.headers["If-Modified-Since"].flatMap(HTTPDate.seconds),
      let lastModified
    else { return false }
    return lastModified <= since
  }

  private func opaque(_ tag: String) -> String {
    let trimmed = tag.drop { $0 == " " }
    return String(trimmed.hasPrefix("W/") ? trimmed.dropFirst(2) : trimmed)
  }

  /// True by If-Range: strong comparison, or the exact date. RFC 9110 §13.1.5
  private func validatorHolds(for request: Request) -> Bool {
    guard let condition = request.headers["If-Range"] else { return true }
    if condition.hasPrefix("W/") { return false }
    return condition == etag || condition == lastModified.map(HTTPDate.text)
  }
}
