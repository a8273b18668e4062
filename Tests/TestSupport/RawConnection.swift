import Glibc

/// A TCP connection to loopback that speaks just enough HTTP/1.1 to show what a server does.
///
/// All calls block; a wait longer than the timeout ends as `silent`.
package struct RawConnection: Sendable {
  private let descriptor: Descriptor
  private var buffer: [UInt8] = []

  package init(port: Int, timeout: Duration = .seconds(10)) throws {
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    descriptor = Descriptor(socket(AF_INET, type, 0))
    var limit = timeval(tv_sec: 0, tv_usec: 0)
    limit.tv_sec = Int(timeout.components.seconds)
    limit.tv_usec = Int(timeout.components.attoseconds / 1_000_000_000_000)
    let size = socklen_t(MemoryLayout<timeval>.size)
    setsockopt(descriptor.number, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
    setsockopt(descriptor.number, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
    try connect(to: UInt16(port))
  }

  private func connect(to port: UInt16) throws {
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_port = port.bigEndian
    name.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafePointer(to: &name) { name in
      name.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor.number, $0, size)
      }
    }
    guard result == 0 else { throw TestToolError("connect to port \(port): \(errnoText())") }
  }

  /// Sends a request and reads its response; after a whole response the connection can be reused.
  package mutating func exchange(
    _ method: String, _ target: String, _ fields: [String: String] = [:], body: [UInt8] = []
  ) throws -> RawResponse {
    try send(method, target, fields, body: body)
    return receive(for: method)
  }

  /// Sends a request without reading its response.
  package func send(
    _ method: String, _ target: String, _ fields: [String: String] = [:], body: [UInt8] = []
  ) throws {
    var head = "\(method) \(target) HTTP/1.1\r\n"
    if fields["Host"] == nil { head += "Host: origin.test\r\n" }
    for (name, value) in fields { head += "\(name): \(value)\r\n" }
    if !body.isEmpty { head += "Content-Length: \(body.count)\r\n" }
    try send(Array((head + "\r\n").utf8) + body)
  }

  package func send(_ bytes: [UInt8]) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor.number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw TestToolError("send: \(errnoText())") }
      rest = rest.dropFirst(count)
    }
  }

  /// Reads the response to a request of this method.
  package mutating func receive(for method: String = "GET") -> RawResponse {
    var response = RawResponse()
    while true {
      if let end = endOfHead() {
        response = RawResponse(head: String(decoding: buffer[..<end], as: UTF8.self))
        buffer.removeFirst(end + 4)
        if response.status != 100 { break }
      } else if let end = more() {
        response.end = end
        return response
      }
    }
    if method != "HEAD", response.status != 304 { receiveBody(of: &response) }
    return response
  }

  private mutating func receiveBody(of response: inout RawResponse) {
    if response["Transfer-Encoding"]?.lowercased() == "chunked" {
      receiveChunks(of: &response)
    } else {
      let length = response["Content-Length"].flatMap { Int($0) }
      response.end = fill(to: length ?? .max) ?? .whole
      response.body = take(min(length ?? .max, buffer.count))
      if length == nil, response.end == .closed { response.end = .whole }
    }
  }

  private mutating func receiveChunks(of response: inout RawResponse) {
    while true {
      while !buffer.contains(10) {
        if let end = more() { return response.end = end }
      }
      let line = take((buffer.firstIndex(of: 10) ?? 0) + 1).dropLast(2)
      let size = Int(String(decoding: line, as: UTF8.self), radix: 16) ?? 0
      let end = fill(to: size + 2)
      response.body += take(min(size, buffer.count))
      _ = take(min(2, buffer.count))
      if let end { return response.end = end }
      if size == 0 { return }
    }
  }

  /// Reads until the buffer holds `count` bytes; returns how the connection ended if it cannot.
  private mutating func fill(to count: Int) -> RawResponse.End? {
    while buffer.count < count {
      if let end = more() { return end }
    }
    return nil
  }

  private mutating func take(_ count: Int) -> [UInt8] {
    defer { buffer.removeFirst(count) }
    return Array(buffer[..<count])
  }

  /// Appends received bytes to the buffer; returns nil if there were some, otherwise how it ended.
  private mutating func more() -> RawResponse.End? {
    var piece = [UInt8](repeating: 0, count: 256 << 10)
    while true {
      let count = recv(descriptor.number, &piece, piece.count, 0)
      if count > 0 {
        buffer += piece[..<count]
        return nil
      }
      if count == 0 { return .closed }
      if errno == EAGAIN { return .silent }
      if errno != EINTR { return .reset }
    }
  }

  private func endOfHead() -> Int? {
    guard buffer.count >= 4 else { return nil }
    return (0...(buffer.count - 4)).first {
      buffer[$0] == 13 && buffer[$0 + 1] == 10 && buffer[$0 + 2] == 13 && buffer[$0 + 3] == 10
    }
  }
}
