/// Reads requests from a connection.
///
/// Owned by the connection's thread.
struct RequestReader {
  private let socket: Socket
  private var buffer: [UInt8] = []
  private var piece = [UInt8](repeating: 0, count: limit)

  /// The most bytes of a head, and of one read.
  private static let limit = 64 << 10

  enum Result {
    case request(Request)
    /// Bytes that are not HTTP; the connection is no longer readable.
    case nonsense
    case hungUp
  }

  init(_ socket: Socket) {
    self.socket = socket
  }

  /// Waits for the next request.
  mutating func next() -> Result {
    var searched = 0
    while true {
      if let end = endOfHead(from: searched) {
        return request(headEnd: end)
      }
      guard buffer.count < Self.limit else { return .nonsense }
      searched = max(0, buffer.count - 3)
      guard receive() else { return .hungUp }
    }
  }

  private mutating func receive() -> Bool {
    let count = socket.receive(into: &piece)
    guard count > 0 else { return false }
    buffer += piece[..<count]
    return true
  }

  private func endOfHead(from start: Int) -> Int? {
    guard buffer.count >= start + 4 else { return nil }
    return (start...(buffer.count - 4)).first {
      buffer[$0] == 13 && buffer[$0 + 1] == 10 && buffer[$0 + 2] == 13 && buffer[$0 + 3] == 10
    }
  }

  private mutating func request(headEnd: Int) -> Result {
    let head = String(decoding: buffer[..<headEnd], as: UTF8.self)
    buffer.removeFirst(headEnd + 4)
    guard var request = Request(head: head), let length = request.bodyLength else {
      return .nonsense
    }
    if request.headers["Expect"]?.lowercased() == "100-continue", buffer.count < length {
      guard socket.send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)) else { return .hungUp }
    }
    while buffer.count < length {
      guard receive() else { return .hungUp }
    }
    request.body = Array(buffer[..<length])
    buffer.removeFirst(length)
    return .request(request)
  }
}
