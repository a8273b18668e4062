import Locks

/// One connection, served on its own thread from the first request to the end.
struct Connection {
  private let socket: Socket
  private let origin: Origin
  private var reader: RequestReader
  private var sender: BodySender
  private var isFirst = true

  private enum Outcome {
    case kept
    case ended
    case reset
    case hungUp
  }

  init(socket: Socket, origin: Origin) {
    self.socket = socket
    self.origin = origin
    reader = RequestReader(socket)
    sender = BodySender(socket: socket, origin: origin)
  }

  mutating func run() {
    var outcome = Outcome.kept
    while outcome == .kept {
      switch reader.next() {
      case .request(let request): outcome = serve(request)
      case .nonsense:
        let refusal = Response(status: 400, type: "text/plain", text: "no HTTP/1.1 request\n")
        outcome = perform(Transmission(refusal), since: .control) == .hungUp ? .hungUp : .ended
      case .hungUp: outcome = .hungUp
      }
    }
    // Ends the connection even if another thread still holds the socket for a moment.
    if outcome == .ended { socket.finish() }
  }

  private mutating func serve(_ request: Request) -> Outcome {
    if request.isControl {
      var response = Control(origin: origin, socket: socket).response(to: request)
      addConnectionFields(to: &response, for: request)
      return after(perform(Transmission(response), since: .control), of: request)
    }
    let answer = answer(to: request)
    let entry = origin.log.begin(
      request, connection: socket.number, status: answer.transmission.status,
      fault: answer.fault?.kind.rawValue)
    sender.begin(entry)
    let outcome = settled(give(answer))
    if outcome == .hungUp || outcome == .reset {
      origin.log.sent(entry, -min(socket.unacknowledged, sender.bodySent))
    }
    sender.end()
    origin.log.end(entry)
    return after(outcome, of: request)
  }

  /// Waits until the client has taken everything; `hungUp` if it leaves before that.
  private func settled(_ outcome: Outcome) -> Outcome {
    guard outcome == .kept || outcome == .ended else { return outcome }
    if outcome == .ended { socket.finishSending() }
    return socket.settle() ? outcome : .hungUp
  }

  private mutating func give(_ answer: Answer) -> Outcome {
    let delay = origin.network.withLock { $0.delay(isFirst: isFirst) }
    isFirst = false
    if delay > .zero, pause(until: .now + delay, since: answer.moment) == .hungUp {
      return .hungUp
    }
    return perform(answer.transmission, since: answer.moment)
  }

  private func after(_ outcome: Outcome, of request: Request) -> Outcome {
    outcome == .kept && !request.keepsConnection ? .ended : outcome
  }

  /// The time of an answer: clearing faults after it releases the answer.
  private struct Moment {
    let path: String
    /// The number of clearings before the answer.
    let clearings: Int

    static let control = Moment(path: "", clearings: 0)
  }

  /// The answer to one request.
  private struct Answer {
    let transmission: Transmission
    let fault: Fault?
    let moment: Moment
  }

  private func answer(to request: Request) -> Answer {
    let host = request.headers["Host"] ?? "localhost"
    var response =
      Response.hop(at: request.target)
      ?? origin.site.resource(for: request.target, host: host)?.response(to: request)
      ?? Response(status: 404, type: "text/plain", text: "nothing here\n")
    if request.method == "HEAD" { response.hasBody = false }
    addConnectionFields(to: &response, for: request)
    let (fault, clearings) = origin.faults.withLock { plan in
      (plan.take(for: request, response.range), plan.clearings)
    }
    let transmission =
      fault?.transmission(of: response, to: request) ?? Transmission(response)
    let moment = Moment(path: request.target.path, clearings: clearings)
    return Answer(transmission: transmission, fault: fault, moment: moment)
  }

  private func addConnectionFields(to response: inout Response, for request: Request) {
    response.headers.set("Server", "testorigin")
    response.headers.set("Date", HTTPDate.text(HTTPDate.now))
    response.headers.set("Connection", request.keepsConnection ? "keep-alive" : "close")
  }

  private mutating func perform(_ transmission: Transmission, since moment: Moment) -> Outcome {
    let steps = transmission.steps
    for (index, step) in steps.enumerated() {
      let isLast = index == steps.count - 1
      switch step {
      case .frame(let bytes):
        guard socket.send(bytes, followed: !isLast && steps[index + 1].isBody) else {
          return .hungUp
        }
      case .body(let content, let range):
        guard sender.send(content, range) else { return .hungUp }
      case .delay(let duration):
        if pause(until: .now + duration, since: moment) == .hungUp { return .hungUp }
      case .stall:
        if let outcome = wait(until: nil, since: moment) { return outcome }
      case .trickle(let content, let range):
        if let outcome = trickle(content, range, since: moment) { return outcome }
      case .reset:
        socket.prepareReset()
        return .reset
      case .close: return .ended
      }
    }
    return .kept
  }

  private mutating func trickle(
    _ content: Content, _ range: Range<Int>, since moment: Moment
  ) -> Outcome? {
    var next = ContinuousClock.now
    for position in range {
      guard sender.send(content, position..<(position + 1)) else { return .hungUp }
      next += .seconds(1)
      if let outcome = wait(until: next, since: moment) { return outcome }
      if isReleased(since: moment) {
        return sender.send(content, (position + 1)..<range.upperBound) ? nil : .hungUp
      }
    }
    return nil
  }

  /// Waits; returns nil if the response should continue.
  private func wait(
    until deadline: ContinuousClock.Instant?, since moment: Moment
  ) -> Outcome? {
    switch pause(until: deadline, since: moment) {
    case .elapsed: return nil
    case .hungUp: return .hungUp
    case .released:
      if origin.faults.withLock(\.resumes) { return nil }
      socket.prepareReset()
      return .reset
    }
  }

  private func pause(
    until deadline: ContinuousClock.Instant?, since moment: Moment
  ) -> Socket.Waking {
    socket.pause(until: deadline) { isReleased(since: moment) }
  }

  private func isReleased(since moment: Moment) -> Bool {
    origin.faults.withLock { $0.isCleared(moment.path, since: moment.clearings) }
  }
}

extension Transmission.Step {
  /// True when body bytes follow at once.
  fileprivate var isBody: Bool {
    if case .body(_, let range) = self { return !range.isEmpty }
    return false
  }
}
