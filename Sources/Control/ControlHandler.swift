internal import FeedReading
internal import NIOCore
internal import NIOHTTP1

/// Handles one connection to a mount. Only the event loop uses this object.
final class ControlHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  /// The longest body of a request, in bytes. A body is read and ignored.
  private static let maxBodyBytes = 64 << 10

  private let answer: @Sendable (ControlRequest) async -> ControlAnswer
  private var head: HTTPRequestHead?
  private var isAnswering = false
  /// True while the pieces of a long answer are sent.
  private var isSending = false
  private var bodyLength = 0

  init(_ answer: @escaping @Sendable (ControlRequest) async -> ControlAnswer) {
    self.answer = answer
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head):
      self.head = head
      bodyLength = 0
    case .body(let bytes):
      bodyLength += bytes.readableBytes
      if bodyLength > Self.maxBodyBytes { context.close(promise: nil) }
    case .end:
      guard let head else { return }
      self.head = nil
      reply(to: head, context)
    }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if let event = event as? IdleStateHandler.IdleStateEvent {
      // A client that has taken no byte of a long answer for 30 s is cut off, because it does not
      // want the answer. A client that sends nothing for 30 s is cut off too, unless its answer is
      // being made.
      if event == .write ? isSending : !isAnswering { context.close(promise: nil) }
    } else {
      context.fireUserInboundEventTriggered(event)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }

  private func reply(to head: HTTPRequestHead, _ context: ChannelHandlerContext) {
    let loop = context.eventLoop
    let bound = NIOLoopBound(context, eventLoop: loop)
    let own = NIOLoopBound(self, eventLoop: loop)
    guard let request = ControlRequest(method: head.method.rawValue, target: head.uri) else {
      return write(
        .refusal(404, "the control socket has no such request; see docs/control.md"), head, context)
    }
    isAnswering = true
    Task { [answer] in
      let answer = await answer(request)
      guard answer.body.count > 1 else {
        return loop.execute { own.value.write(answer, head, bound.value) }
      }
      // The pieces are made here, off the event loop of all connections. Each piece is made when
      // the client has taken the piece before.
      loop.execute { own.value.begin(answer, head, bound.value) }
      for number in 0..<answer.body.count {
        let piece = answer.body[number]
        let sent = loop.flatSubmit { own.value.send(piece, bound.value) }
        guard (try? await sent.get()) != nil else { return }
      }
      loop.execute { own.value.end(head, bound.value) }
    }
  }

  /// Sends the head of an answer that comes in several pieces. In HTTP/1.1, a mark ends the last
  /// piece. In older versions, the connection closes after it.
  private func begin(
    _ answer: ControlAnswer, _ head: HTTPRequestHead, _ context: ChannelHandlerContext
  ) {
    isSending = true
    var response = HTTPResponseHead(
      version: head.version, status: HTTPResponseStatus(statusCode: answer.status))
    response.headers.add(name: "Content-Type", value: "application/json")
    if !head.isKeepAlive { response.headers.add(name: "Connection", value: "close") }
    context.write(wrapOutboundOut(.head(response)), promise: nil)
  }

  private func send(
    _ piece: [UInt8], _ context: ChannelHandlerContext
  ) -> EventLoopFuture<Void> {
    let buffer = context.channel.allocator.buffer(bytes: piece)
    return context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(buffer))))
  }

  private func end(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
    isAnswering = false
    isSending = false
    let end = context.writeAndFlush(wrapOutboundOut(.end(nil)))
    guard !head.isKeepAlive || head.version == .http1_0 else { return }
    let channel = context.channel
    end.whenComplete { _ in channel.close(promise: nil) }
  }

  private func write(
    _ answer: ControlAnswer, _ head: HTTPRequestHead, _ context: ChannelHandlerContext
  ) {
    isAnswering = false
    let body = answer.body.joined
    var response = HTTPResponseHead(
      version: head.version, status: HTTPResponseStatus(statusCode: answer.status))
    response.headers.add(name: "Content-Type", value: "application/json")
    response.headers.add(name: "Content-Length", value: "\(body.count)")
    if !head.isKeepAlive { response.headers.add(name: "Connection", value: "close") }
    context.write(wrapOutboundOut(.head(response)), promise: nil)
    context.write(
      wrapOutboundOut(.body(.byteBuffer(context.channel.allocator.buffer(bytes: body)))),
      promise: nil)
    let end = context.writeAndFlush(wrapOutboundOut(.end(nil)))
    if !head.isKeepAlive {
      let channel = context.channel
      end.whenComplete { _ in channel.close(promise: nil) }
    }
  }
}
