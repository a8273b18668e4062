import Addresses
import CCurl

/// One request on its way to an answer. It needs one hop, and a further hop after each redirect.
///
/// Belongs to the client's thread. libcurl has an unretained pointer to the transfer, so `TransferLoop`
/// keeps it alive while libcurl runs it.
final class Transfer {
  private enum Stage {
    case head
    case body
    /// The end is known. If the rest of the body is short, it is still read, so that the connection can
    /// be used again.
    case over(HopEnd)
  }

  let id: TransferID
  /// The id by which the client's caller knows the request: the id of its first transfer.
  let name: TransferID
  let role: Role
  let exchange: any Exchange
  /// The requested URL, before any redirect.
  let first: WebAddress
  var priority: RangeRequest.Priority
  private(set) var url: WebAddress
  private(set) var hops = 0
  /// True when the transfer began at the remembered target of a redirect, not at `first`.
  private(set) var skippedRedirects = false
  private(set) var easy: EasyHandle?
  /// The time when the origin last sent something. `TransferLoop` sets it.
  var lastHeard: ContinuousClock.Instant?
  /// The time when `TransferLoop` noticed that the end is known and only unwanted bytes still arrive.
  var overSince: ContinuousClock.Instant?
  /// The time by which the whole transfer must be over.
  var deadline: ContinuousClock.Instant?
  /// The time when the transfer came into the queue of its current origin.
  var cameAt: ContinuousClock.Instant?
  /// The time when the current hop began.
  var begunAt: ContinuousClock.Instant?
  /// True when the request must go over a new connection.
  var needsNewConnection = false
  /// True when the request was sent again over a new connection, after a failure or silence.
  var wasAskedAgain = false
  /// The end with which the origin turned the transfer away while it served others.
  var turnedAway: TransferEnd?

  /// The time when the body of this hop began.
  private(set) var bodyBegan: ContinuousClock.Instant?
  /// The time when this hop began, for the log.
  private(set) var started: ContinuousClock.Instant?
  private(set) var status: Int?
  /// The pause that the answer asks for before another request; nil if it asks for none.
  private(set) var retryAfter: Duration?
  /// The bytes of the body so far. Unchecked, because only one thread has access, and a check for each
  /// piece would be expensive.
  @exclusivity(unchecked) private(set) var bodyBytes = 0
  /// The values of the head's Alt-Svc fields.
  private(set) var alternatives: [String] = []

  /// The content of this hop's request; nil before the first hop.
  private(set) var question: Question?
  private var isPermanent = true
  private var stage = Stage.head {
    didSet {
      if case .body = stage { isInBody = true } else { isInBody = false }
    }
  }
  /// True if the stage is `body`. A check of `stage` itself would cost more for each piece.
  private var isInBody = false
  private var reader = HeadReader()
  private let claim: Claim
  /// The cookies of the request.
  private(set) var jar: CookieJar
  /// The cookies that libcurl was given for this hop.
  var given: [Cookie] = []
  private let meter: Meter
  /// True while the rate limit holds the transfer up.
  private(set) var isHeld = false
  private var drained = 0
  private var heard = 0
  private var headCame = false
  /// The state of the authentication.
  var password = Password()
  /// The sockets of this hop, and the connection that its request went over.
  var connecting = Connecting()

  init(_ id: TransferID, _ exchange: any Exchange, _ url: WebAddress, _ meter: Meter) {
    (name, role, claim) = (id, .first, Claim())
    self.meter = meter
    self.id = id
    self.exchange = exchange
    priority = exchange.priority
    jar = exchange.cookies ?? CookieJar()
    first = url
    self.url = url
  }

  /// Creates a transfer that sends the same request as `other`. A second ask and a racer go to the
  /// current URL of `other`, and a walker goes to its first URL.
  init(_ id: TransferID, _ role: Role, beside other: Transfer) {
    (name, claim, self.role) = (other.name, other.claim, role)
    meter = other.meter
    jar = other.jar
    self.id = id
    exchange = other.exchange
    priority = other.priority
    deadline = other.deadline
    first = other.first
    url = other.first
    guard role != .walker else { return }
    (url, hops, isPermanent) = (other.url, other.hops, other.isPermanent)
    skippedRedirects = other.skippedRedirects
  }

  /// Whether this transfer, and no other for the same request, brings the answer.
  var hasClaimed: Bool { claim.isHeld(by: id) }

  /// True until a head has come in this hop.
  var isAsking: Bool {
    if case .head = stage { true } else { false }
  }

  /// True once the head of an answer was accepted, so that its body is read.
  private(set) var isAccepted = false

  var isOver: Bool {
    if case .over = stage { true } else { false }
  }

  /// Makes the transfer begin at the target of redirects that were followed before, with the
  /// cookies that those redirects set.
  func skipRedirects(to url: WebAddress, with cookies: CookieJar?) {
    self.url = url
    if exchange.cookies == nil, let cookies { jar = cookies }
    skippedRedirects = true
  }

  func startOver() {
    url = first
    if exchange.cookies == nil { jar = CookieJar() }
    hops = 0
    skippedRedirects = false
    isPermanent = true
  }

  func follow(to next: WebAddress, isPermanent: Bool) {
    url = next
    hops += 1
    self.isPermanent = self.isPermanent && isPermanent
  }

  /// Prepares for another question of the exchange. Any transfer for it can then bring the answer.
  func askAgain() {
    claim.free()
    wasAskedAgain = false
  }

  // MARK: One hop

  /// Begins a hop, and returns the handle that sends `question` to the current URL.
  func beginHop(
    _ question: Question, _ configuration: HTTPConfiguration, _ gate: SocketGate,
    _ multi: MultiHandle, _ way: Way
  ) throws(HTTPError) -> EasyHandle {
    self.question = question
    stage = .head
    connecting = Connecting(gate: gate, sockets: multi.sockets, avoided: way.avoided)
    password.begin()
    needsNewConnection = false
    reader = HeadReader()
    (started, status, bodyBytes, bodyBegan) = (.now, nil, 0, nil)
    retryAfter = nil
    drained = 0
    overSince = nil
    isHeld = false
    // Credentials are bound to scheme, host and port: a redirect to another place does not get them.
    let credentials = configuration.credentials(for: first, of: exchange.feed)
      .flatMap { $0.origin == url.origin ? $0 : nil }
    var known = credentials == nil ? nil : knownHandle(multi.challenged, way)
    if known == nil { known = try EasyHandle() }
    guard let easy = known else { throw .unavailable(reason: "no memory") }
    try easy.ask(url, configuration, way)
    try easy.weigh(priority)
    try easy.share(multi.sessions)
    if let credentials { try authorize(easy, credentials, by: way.scheme) }
    // Header fields are bound to the origin too. The fields of the user replace those of a resolver.
    var own: [HeaderField] = []
    if first.origin == url.origin {
      own = HeaderField.merged(
        configuration.fields(for: url, of: exchange.feed), over: exchange.headers)
    }
    if let codings = question.codings { try easy.set(CURLOPT_ACCEPT_ENCODING, codings) }
    try easy.setHeaderLines(question.fields + (try giveCookies(to: easy, beside: own)).map(\.line))
    try easy.report(to: self)
    try easy.close(with: multi.sockets)
    self.easy = easy
    return easy
  }

  /// Returns how the hop ended, after libcurl has finished it.
  func endHop(_ code: CURLcode) -> HopEnd {
    defer { dropHop() }
    switch stage {
    case .over(.again): return .again(keepsConnection: code == CURLE_OK)
    case .over(let end): return end
    case .head where judgeChallenge(): return endHop(code)
    case .body where code == CURLE_OK:
      let end = exchange.bodyEnded()
      return exchange.asksAgain(after: end) ? .again(keepsConnection: true) : .end(end)
    case .body: return .end(.broken(reason: silence(for: code).words))
    case .head where connecting.use == .refused: return .untrusted
    case .head where code == CURLE_PEER_FAILED_VERIFICATION && easy?.leavesOutFolder == true:
      return .unvouched
    case .head:
      if let refusedAddress = connecting.refusedAddress, code == CURLE_COULDNT_CONNECT {
        return .end(.blocked(reason: refusedAddress))
      }
      return .end(
        Failure.isNoHTTP(code) ? .refused(.notHTTP) : .unanswered(silence(for: code)))
    }
  }

  /// Gives up the handle of the hop, which must have left the multi handle before.
  func dropHop() {
    if let easy, !isHeld { leave(easy) }
    easy = nil
  }

  /// Continues the transfer after the rate limit has held it up.
  func goOn() {
    isHeld = false
    easy?.goOn()
  }

  /// Ends the hop because nothing comes, and returns how it ended.
  func endHop(because reason: String) -> HopEnd {
    defer { dropHop() }
    switch stage {
    case .over(let end): return end
    case .body: return .end(.broken(reason: reason))
    case .head:
      let blamed = blamedProxy?.blamed(for: "does not answer: \(reason)")
      return .end(.unanswered(blamed ?? Silence(reason)))
    }
  }

  /// The proxy that the request did not get past; nil if there is none.
  private var blamedProxy: Proxy? { connecting.use == nil ? connecting.gate?.proxy : nil }

  /// Returns how many bytes came since the last call, and whether a head was among them; nil if none.
  func takeNews() -> (bytes: Int, headCame: Bool)? {
    guard heard > 0 else { return nil }
    defer { (heard, headCame) = (0, false) }
    return (heard, headCame)
  }

  private func silence(for code: CURLcode) -> Silence {
    Failure.silence(
      for: code, systemError: easy?.systemError ?? 0, proxy: blamedProxy,
      tunnelStatus: easy?.tunnelStatus ?? 0)
  }

  // MARK: libcurl's callbacks

  /// Takes a line of a head or of a trailer. Returns false to end the hop.
  func takeLine(_ bytes: UnsafeRawBufferPointer) -> Bool {
    heard += bytes.count
    guard case .head = stage else { return true }
    switch reader.take(String(decoding: bytes, as: UTF8.self)) {
    case .more: return true
    case .whole(let head) where password.isAnswered(head):
      // libcurl sends the request again, now with the answer to this challenge.
      reader = HeadReader()
      headCame = true
      return true
    case .whole(let head):
      headCame = true
      return judge(head)
    case .fault(let fault):
      stage = .over(.end(.refused(fault)))
      return false
    }
  }

  /// Takes a piece of the body. The rate limit never holds up an exchange that `failsFast`.
  func takeBody(_ bytes: UnsafeRawBufferPointer) -> Taking {
    guard !bytes.isEmpty else { return .taken }
    if meter.isUsedUp, !exchange.failsFast {
      isHeld = true
      return .later
    }
    meter.took(bytes.count)
    heard += bytes.count
    bodyBytes += bytes.count
    if isInBody {
      guard let end = exchange.take(bytes.bytes) else { return .taken }
      self.end(with: end)
      return .over
    }
    switch stage {
    case .head where judgeChallenge(): return .taken
    case .head, .body: return .over
    // The connection of a refused answer is not used again, so the rest of the body is not read.
    case .over(.end(.refused)): return .over
    case .over:
      drained += bytes.count
      return drained <= Self.shortRest ? .taken : .over
    }
  }

  /// Judges the challenge that libcurl has not answered because the password was wrong. Returns
  /// false if there is no such challenge.
  private func judgeChallenge() -> Bool {
    guard let head = password.takeChallenge() else { return false }
    headCame = true
    _ = judge(head)
    return true
  }

  /// Notes how the hop ends, while the rest of its body can still come.
  private func end(with end: TransferEnd) {
    let asksAgain = exchange.asksAgain(after: end)
    stage = .over(asksAgain ? .again(keepsConnection: false) : .end(end))
  }

  private func judge(_ head: ResponseHead) -> Bool {
    status = head.status
    retryAfter = Freshness.retryAfter(of: head, now: time(nil))
    alternatives = head.values("alt-svc")
    if password.isForgotten(head) {
      stage = .over(.challenged(.digest))
      return false
    }
    switch Redirect(head, from: url, hops: hops) {
    case .follow(let next, let permanent)?:
      stage = .over(.redirect(next, isPermanent: permanent))
    case .refuse(let end)?: stage = .over(.end(end))
    case nil where password.next(for: head) != nil:
      stage = .over(password.next(for: head).map(HopEnd.challenged) ?? .end(.cancelled))
    case nil:
      guard claim.take(id) else {
        stage = .over(.end(.cancelled))
        return false
      }
      let place = AnswerPlace(url: url, isPermanent: hops > 0 && isPermanent)
      guard let question,
        let end = exchange.judge(head, to: question, at: place).map({ named($0, head) })
      else {
        stage = .body
        bodyBegan = .now
        isAccepted = true
        return true
      }
      self.end(with: end)
    }
    // If this returned true, libcurl would answer the challenge again.
    if password.scheme == .digest, head.status == 401 { return false }
    return (head.single("content-length").flatMap { Decimal.parse($0) } ?? 0) <= Self.shortRest
  }

  /// The longest unwanted rest that is read. Up to here, reading costs less than a new connection.
  private static let shortRest = 16 << 10  // bytes
}
