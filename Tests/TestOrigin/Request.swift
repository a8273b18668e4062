/// One complete request.
struct Request: Sendable {
  let method: String
  let target: Target
  let headers: HeaderFields
  var body: [UInt8] = []
  private let version: String

  /// Parses a head without its empty last line; nil if it is not HTTP.
  init?(head: String) {
    var lines = head.split(separator: "\r\n", omittingEmptySubsequences: false)[...]
    let words = lines.popFirst()?.split(separator: " ") ?? []
    guard words.count == 3, words[2].hasPrefix("HTTP/1.") else { return nil }
    method = String(words[0])
    target = Target(String(words[1]))
    version = String(words[2])
    var headers = HeaderFields()
    for line in lines {
      guard let colon = line.firstIndex(of: ":") else { return nil }
      let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
      headers.add(String(line[..<colon]), String(value))
    }
    self.headers = headers
  }

  /// True when the client may send another request on this connection. RFC 9112 §9.3
  var keepsConnection: Bool {
    let option = headers["Connection"]?.lowercased()
    return version == "HTTP/1.0" ? option == "keep-alive" : option != "close"
  }

  /// The length of the body; nil if the request states it in an unsupported way.
  var bodyLength: Int? {
    guard headers["Transfer-Encoding"] == nil else { return nil }
    guard let text = headers["Content-Length"] else { return 0 }
    return Int(text).flatMap { (0...(1 << 30)).contains($0) ? $0 : nil }
  }

  /// True for a control request: it is neither delayed nor logged, and meets no fault.
  var isControl: Bool { target.path.hasPrefix("/__") }
}
