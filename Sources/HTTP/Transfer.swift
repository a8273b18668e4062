import CCurl

/// One request on its way: a hop, and after a redirect the next one.
///
/// Belongs to the client's thread. libcurl holds it unretained in the handle of the current hop; the
/// loop keeps it for longer than that.
final class Transfer {
  enum HopEnd {
    case redirect(WebURL, isPermanent: Bool)
    case end(TransferEnd)
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

  private var isPermanent = true
  private var stage = Stage.head
  private var reader = HeadReader()
  private var gate: SocketGate?
  private var refusedAddress: String?
  private let meter: Meter
  /// Whether it waits until something may be taken again.
  private(set) var isHeld = false
  private var drained = 0
  private var heard = 0
  private var headCame = false

  init(_ id: TransferID, _ exchange: any Exchange, _ url: WebURL, _ meter: Meter) {
    self.meter = meter
    self.id = id
    self.exchange = exchange
    priority = exchange.priority
    first = url
    self.url = url
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
  func beginHop(_ configuration: HTTPConfiguration, _ gate: SocketGate, anew: Bool)
    throws(HTTPError) -> EasyHandle
  {
    stage = .head
    reader = HeadReader()
    self.gate = gate
    refusedAddress = nil
    drained = 0
    overSince = nil
    isHeld = false
    let easy = try EasyHandle()
    try easy.ask(url, configuration, anew: anew)
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
    case .head:
      if let refusedAddress, code == CURLE_COULDNT_CONNECT {
        return .end(.blocked(reason: refusedAddress))
      }
      return .end(
        Failure.isNoHTTP(code) ? .refused(.notHTTP) : .unanswered(reason: words(for: code)))
    }
  }

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
    switch stage {
    case .head: return .over
    case .body:
      guard let end = exchange.take(bytes.bytes) else { return .taken }
      stage = .over(.end(end))
      return .over
    case .over:
      drained += bytes.count
      return drained <= Self.shortRest ? .taken : .over
    }
  }

  /// A socket for the address, or none if it may not be reached.
  func openSocket(_ address: UnsafePointer<curl_sockaddr>) -> curl_socket_t {
    switch gate?.open(address) {
    case .socket(let descriptor): return descriptor
    case .refused(let reason):
      refusedAddress = reason
      return ccurl_no_socket
    case .failed, nil: return ccurl_no_socket
    }
  }

  private func judge(_ head: ResponseHead) -> Bool {
    switch Redirect(head, from: url, hops: hops) {
    case .follow(let next, let permanent)?:
      stage = .over(.redirect(next, isPermanent: permanent))
    case .refuse(let end)?: stage = .over(.end(end))
    case nil:
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
