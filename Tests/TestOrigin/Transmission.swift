/// The steps of a connection for one response, in order.
struct Transmission: Sendable {
  /// The status of the head; nil if no head is sent.
  let status: Int?
  let steps: [Step]

  enum Step: Sendable {
    /// Bytes that are not counted as body.
    case frame([UInt8])
    case body(Content, Range<Int>)
    /// Waits; clearing the faults ends the wait early.
    case delay(Duration)
    /// Waits until the faults are cleared, then continues or resets the connection.
    case stall
    /// Sends one byte a second, until the faults are cleared.
    case trickle(Content, Range<Int>)
    case reset
    case close
  }

  init(status: Int?, steps: [Step]) {
    self.status = status
    self.steps = steps
  }

  /// The steps of a response without faults.
  init(_ response: Response) {
    self.init(status: response.status, steps: [.frame(response.head)] + response.bodySteps)
  }
}

extension Response {
  fileprivate var bodySteps: [Transmission.Step] {
    guard hasBody else { return [] }
    let body = [Transmission.Step.body(content, range)]
    guard let frame else { return body }
    return [.frame(frame.before)] + body + [.frame(frame.after)]
  }

  /// The content in chunks of 64 KiB. RFC 9112 §7.1
  fileprivate var chunks: [Transmission.Step] { chunks(of: body) }

  fileprivate func chunks(of body: Range<Int>) -> [Transmission.Step] {
    stride(from: body.lowerBound, to: body.upperBound, by: 64 << 10).flatMap { start in
      let chunk = start..<min(start + 64 << 10, body.upperBound)
      let size = String(chunk.count, radix: 16)
      return [
        Transmission.Step.frame(Array("\(size)\r\n".utf8)), .body(content, chunk),
        .frame(Array("\r\n".utf8)),
      ]
    }
  }

  fileprivate var chunkedHead: Transmission.Step {
    var chunked = self
    chunked.headers.set("Content-Length", nil)
    chunked.headers.set("Transfer-Encoding", "chunked")
    return .frame(chunked.head)
  }

  /// The head of a body that ends with its connection.
  fileprivate var closingHead: Transmission.Step {
    var closing = self
    closing.headers.set("Content-Length", nil)
    closing.headers.set("Connection", "close")
    return .frame(closing.head)
  }

  /// Splits the content `count` bytes into the body.
  fileprivate func cut(after count: Int) -> (head: Range<Int>, tail: Range<Int>) {
    let middle = body.lowerBound + min(max(0, count), body.count)
    return (body.lowerBound..<middle, middle..<body.upperBound)
  }
}

extension Fault {
  /// The steps of the response with this fault.
  func transmission(of intact: Response, to request: Request) -> Transmission {
    let response = changed(intact, to: request)
    let hasHead = kind != .garbage && !((kind == .reset || kind == .end) && at == nil)
    return Transmission(status: hasHead ? response.status : nil, steps: steps(for: response))
  }

  private func steps(for response: Response) -> [Transmission.Step] {
    let head = Transmission.Step.frame(response.head)
    let content = response.content
    let (start, rest) = response.cut(after: at ?? 0)
    switch kind {
    case .status200chunked, .chunked:
      let end = response.hasBody ? [Transmission.Step.frame(Array("0\r\n\r\n".utf8))] : []
      return [response.chunkedHead] + response.chunks + end
    case .status200cut: return [response.chunkedHead] + response.chunks(of: start) + [.close]
    case .status200close: return [response.closingHead, .body(content, response.body), .close]
    case .chunkedunended: return [response.chunkedHead] + response.chunks + [.close]
    case .short:
      let kept = response.cut(after: response.body.count - by).head
      return [head, .body(content, kept), .close]
    case .long:
      let extra = [UInt8](repeating: UInt8(ascii: "X"), count: max(0, by))
      return [
        head, .body(content, response.body), .body(.bytes(extra), 0..<extra.count), .close,
      ]
    case .end: return at == nil ? [.close] : [head, .body(content, start), .close]
    case .reset: return at == nil ? [.reset] : [head, .body(content, start), .reset]
    case .stall where at == nil: return [.stall, head] + response.bodySteps
    case .stall: return [head, .body(content, start), .stall, .body(content, rest)]
    case .trickle: return [head, .body(content, start), .trickle(content, rest)]
    case .slowhead:
      return [.delay(.milliseconds(Int(value ?? "") ?? 1000)), head] + response.bodySteps
    case .contentlength: return [head, .body(content, response.body), .close]
    case .slicecut:
      // Leaves out the rest of the slice that `at` lies in.
      let slice = max(1, by)
      let next = min(
        (start.upperBound + slice - 1) / slice * slice, response.body.upperBound)
      return [head, .body(content, start), .body(content, next..<response.body.upperBound), .close]
    case .garbage: return [.frame(Array("?? nothing\r\n".utf8)), .close]
    case .status200, .wrongrange, .norange, .tworanges, .status, .redirect, .html, .html206,
      .gzip, .multipart, .partas200, .shortpart, .longpart, .ifrange200, .strict416, .etag,
      .weaketag, .noetag, .lastmodified, .headlies, .bigheaders,
      .changed, .otherbytes:
      return [head] + response.bodySteps
    }
  }
}
