import CCurl

/// One request on its way: a hop, and after a redirect the next one.
///
/// Belongs to the client's thread. libcurl holds it unretained in the handle of the current hop; the
/// loop keeps it for longer than that.
final class Transfer {
  enum HopEnd {
    case redirect(WebURL, isPermanent: Bool)
    case end(TransferEnd)
    /// Nothing was sent: libcurl chose a connection that is not to be used.
    case untrusted
  }

  /// Its part among transfers that ask the same.
  enum Role {
    /// The client's own.
    case first
    /// Asks the same place once more, over a new connection.
    case second
    /// Asks the redirector anew.
    case walker
  }

  private enum Stage {
    case head
    case body
    /// Decided; a short rest may still run out, so that the connection can be kept.
    case over(HopEnd)
  }

  /// What became of a piece of a body.
  enum Taking {
    case taken
    /// It is to be handed out again: nothing may be taken now.
    case later
    /// The hop ends.
    case over
  }

  let id: TransferID
  /// The client's name for it: that of the first of those that ask the same.
  let name: TransferID
  let role: Role
  let exchange: any Exchange
  /// What was asked for, before any redirect.
  let first: WebURL
  var priority: RangeRequest.Priority
  private(set) var url: WebURL
  private(set) var hops = 0
  /// The hop began where an earlier answer came from, not at `first`.
  private(set) var skippedRedirects = false
  private(set) var easy: EasyHandle?
  /// When something came from the origin last; the loop keeps it.
  var lastHeard: ContinuousClock.Instant?
  /// When the loop noticed that the answer is decided and only its rest runs out.
  var overSince: ContinuousClock.Instant?
  /// When the whole must be over.
  var deadline: ContinuousClock.Instant?
  /// When it came to its present place.
  var cameAt: ContinuousClock.Instant?
  /// When its hop began.
  var begunAt: ContinuousClock.Instant?
  /// No connection that is kept will do.
  var needsNewConnection = false
  /// It was given another connection when a kept one did not answer.
  var wasAskedAgain = false

  /// Facts of this hop, for the log.
  private(set) var started: ContinuousClock.Instant?
  private(set) var status: Int?
  private(set) var bodyBytes = 0

  private var isPermanent = true
  private var stage = Stage.head
  private var reader = HeadReader()
  private var gate: SocketGate?
  private var sockets: Sockets?
  private let claim: Claim
  private var refusedAddress: String?
  private let meter: Meter
  /// Whether it waits until something may be taken again.
  private(set) var isHeld = false
  private var drained = 0
  private var heard = 0
  private var headCame = false
  /// Which connection the request went over; nil: none yet.
  private(set) var use: Connections.Use?
  private var isNewsOfUse = false

  init(_ id: TransferID, _ exchange: any Exchange, _ url: WebURL, _ meter: Meter) {
    (name, role, claim) = (id, .first, Claim())
    self.meter = meter
    self.id = id
    self.exchange = exchange
    priority = exchange.priority
    first = url
    self.url = url
  }

  /// One that asks the same as `other`: at the place where that is or, as a walker, at the first.
  init(_ id: TransferID, _ role: Role, beside other: Transfer) {
    (name, claim, self.role) = (other.name, other.claim, role)
    meter = other.meter
    self.id = id
    exchange = other.exchange
    priority = other.priority
    deadline = other.deadline
    first = other.first
    url = other.first
    guard role == .second else { return }
    (url, hops, isPermanent) = (other.url, other.hops, other.isPermanent)
    skippedRedirects = other.skippedRedirects
  }

  /// Whether the answer is this one's.
  var hasClaimed: Bool { claim.isHeld(by: id) }

  /// No head has come in this hop.
  var isAsking: Bool {
    if case .head = stage { true } else { false }
  }

  /// Whether anything of the answer has been handed on.
  private(set) var isAccepted = false

  var isOver: Bool {
    if case .over = stage { true } else { false }
  }

  func skipRedirects(to url: WebURL) {
    self.url = url
    skippedRedirects = true
  }

  func startOver() {
    url = first
    hops = 0
    skippedRedirects = false
    isPermanent = true
  }

  func follow(to next: WebURL, isPermanent: Bool) {
    url = next
    hops += 1
    self.isPermanent = self.isPermanent && isPermanent
  }

  // MARK: One hop

  /// Makes the handle that asks the question at the current URL.
  ///
  /// - Parameter names: for how long names that were resolved hold.
  func beginHop(
    _ configuration: HTTPConfiguration, _ gate: SocketGate, _ sockets: Sockets, anew: Bool,
    names: Duration
  ) throws(HTTPError) -> EasyHandle {
    stage = .head
    self.sockets = sockets
    use = nil
    needsNewConnection = false
    reader = HeadReader()
    (started, status, bodyBytes) = (.now, nil, 0)
    self.gate = gate
    refusedAddress = nil
    drained = 0
    overSince = nil
    isHeld = false
    let easy = try EasyHandle()
    try easy.ask(url, configuration, anew: anew, names: names)
    // Bound to scheme, host and port: no redirect takes them elsewhere.
    if let credentials = configuration.credentials(for: first, of: exchange.feed),
      credentials.origin == url.origin
    {
      try easy.set(CURLOPT_HTTPAUTH, ccurl_auth_basic)
      try easy.set(CURLOPT_USERNAME, credentials.user)
      try easy.set(CURLOPT_PASSWORD, credentials.password)
    }
    let own = first.origin == url.origin ? configuration.fields(for: url, of: exchange.feed) : []
    if let codings = exchange.codings { try easy.set(CURLOPT_ACCEPT_ENCODING, codings) }
    try easy.setHeaderLines(exchange.fields + own.map(\.line))
    try easy.report(to: self)
    try easy.close(with: sockets)
    self.easy = easy
    return easy
  }

  /// How the hop ended, once libcurl has done with it.
  func endHop(_ code: CURLcode) -> HopEnd {
    defer { easy = nil }
    switch stage {
    case .over(let end): return end
    case .body where code == CURLE_OK: return .end(exchange.bodyEnded())
    case .body: return .end(.broken(reason: words(for: code)))
    case .head where use == .refused: return .untrusted
    case .head:
      if let refusedAddress, code == CURLE_COULDNT_CONNECT {
        return .end(.blocked(reason: refusedAddress))
      }
      return .end(
        Failure.isNoHTTP(code) ? .refused(.notHTTP) : .unanswered(reason: words(for: code)))
    }
  }

  /// The hop is given up.
  func dropHop() { easy = nil }

  /// Something may be taken again.
  func goOn() {
    isHeld = false
    easy?.goOn()
  }

  /// How the hop ends because nothing comes.
  func endHop(because reason: String) -> HopEnd {
    defer { easy = nil }
    switch stage {
    case .over(let end): return end
    case .body: return .end(.broken(reason: reason))
    case .head: return .end(.unanswered(reason: reason))
    }
  }

  /// What came since the last call: bytes, and whether a head was among them.
  func takeNews() -> (bytes: Int, headCame: Bool)? {
    guard heard > 0 else { return nil }
    defer { (heard, headCame) = (0, false) }
    return (heard, headCame)
  }

  /// Whether the request went over a kept connection since the last call.
  func takeUse() -> Bool {
    defer { isNewsOfUse = false }
    return isNewsOfUse && use == .kept
  }

  private func words(for code: CURLcode) -> String {
    Failure.words(for: code, systemError: easy?.systemError ?? 0)
  }

  // MARK: libcurl's callbacks

  /// A line of a head, or of a trailer; false ends the hop.
  func takeLine(_ bytes: UnsafeRawBufferPointer) -> Bool {
    heard += bytes.count
    guard case .head = stage else { return true }
    switch reader.take(String(decoding: bytes, as: UTF8.self)) {
    case .more: return true
    case .whole(let head):
      headCame = true
      return judge(head)
    case .fault(let fault):
      stage = .over(.end(.refused(fault)))
      return false
    }
  }

  /// A piece of the body. A document is small, and is not held up.
  func takeBody(_ bytes: UnsafeRawBufferPointer) -> Taking {
    guard !bytes.isEmpty else { return .taken }
    if meter.allowance.isUsedUp, !exchange.isImpatient {
      isHeld = true
      return .later
    }
    meter.allowance.took(bytes.count)
    heard += bytes.count
    bodyBytes += bytes.count
    switch stage {
    case .head: return .over
    case .body:
      guard let end = exchange.take(bytes.bytes) else { return .taken }
      stage = .over(.end(end))
      return .over
    // The connection of an answer that cannot be used is not used again: its rest is worth nothing.
    case .over(.end(.refused)): return .over
    case .over:
      drained += bytes.count
      return drained <= Self.shortRest ? .taken : .over
    }
  }

  /// A socket for the address, or none if it may not be reached.
  func openSocket(_ address: UnsafePointer<curl_sockaddr>) -> curl_socket_t {
    switch gate?.open(address) {
    case .socket(let descriptor):
      sockets?.opened(descriptor, for: url.origin)
      return descriptor
    case .refused(let reason):
      refusedAddress = reason
      return ccurl_no_socket
    case .failed, nil: return ccurl_no_socket
    }
  }

  /// Whether the request may be sent over the connection between `ends`.
  func mayGo(over ends: Sockets.Ends) -> Bool {
    use = sockets?.uses(ends, by: id, of: url.origin)
    isNewsOfUse = true
    return use != .refused
  }

  private func judge(_ head: ResponseHead) -> Bool {
    status = head.status
    switch Redirect(head, from: url, hops: hops) {
    case .follow(let next, let permanent)?:
      stage = .over(.redirect(next, isPermanent: permanent))
    case .refuse(let end)?: stage = .over(.end(end))
    case nil:
      guard claim.take(id) else {
        stage = .over(.end(.cancelled))
        return false
      }
      let place = AnswerPlace(url: url, isPermanent: hops > 0 && isPermanent)
      guard let end = exchange.judge(head, at: place) else {
        stage = .body
        isAccepted = true
        return true
      }
      stage = .over(.end(end))
    }
    return (head.single("content-length").flatMap { Decimal.parse($0) } ?? 0) <= Self.shortRest
  }

  /// Reading so much that nobody wants is cheaper than a new connection.
  private static let shortRest = 16 << 10  // bytes
}
