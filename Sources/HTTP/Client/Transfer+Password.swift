import Addresses
import CCurl

extension Transfer {
  /// The authentication of a transfer: the schemes that were tried, and the challenges of this hop.
  struct Password {
    /// The scheme of this hop; nil if its request has no password.
    private(set) var scheme: AuthScheme?
    /// The schemes that were tried. Each is tried once.
    private var tried: Set<AuthScheme> = []
    /// The last challenge of this hop that libcurl has perhaps not answered yet.
    private var challenge: ResponseHead?
    private var challenges = 0
    /// The store of handles that know challenges; nil if this hop does not use Digest.
    fileprivate var handles: ChallengedHandles?
    /// Whether the request answers a challenge that an earlier request got.
    fileprivate var isKnown = false
    /// True once the origin has refused the answer to the challenge of an earlier request. The next
    /// request then gets a challenge of its own.
    fileprivate var wasForgotten = false
    /// Whether the origin has accepted the password by this hop's scheme.
    fileprivate var isTaken = false

    /// Begins a hop without a password.
    mutating func begin() {
      scheme = nil
      challenge = nil
      challenges = 0
      (handles, isKnown, isTaken) = (nil, false, false)
    }

    /// Whether a head refuses the answer to the challenge of an earlier request. The origin has
    /// perhaps forgotten the nonce, so the request is sent again without it. If the head calls the
    /// nonce stale, libcurl has answered by itself before this call.
    mutating func isForgotten(_ head: ResponseHead) -> Bool {
      guard head.status == 401, isKnown, scheme == .digest else {
        isTaken = head.status != 401
        return false
      }
      wasForgotten = true
      return true
    }

    mutating func use(_ scheme: AuthScheme) {
      self.scheme = scheme
      tried.insert(scheme)
    }

    /// Whether `head` is a challenge that libcurl is allowed to answer by itself. The number of
    /// such challenges is limited, because a server might call each answer stale.
    mutating func isAnswered(_ head: ResponseHead) -> Bool {
      challenge = nil
      guard scheme == .digest, head.status == 401, challenges < Self.maxChallenges,
        names(in: head).contains("digest")
      else { return false }
      challenge = head
      challenges += 1
      return true
    }

    /// Returns the challenge that libcurl has not answered, and forgets it; nil if there is none.
    mutating func takeChallenge() -> ResponseHead? {
      defer { challenge = nil }
      return challenge
    }

    /// Returns the scheme by which the request is sent again; nil if it is not sent again.
    func next(for head: ResponseHead) -> AuthScheme? {
      guard head.status == 401, let scheme,
        let next = AuthScheme.next(after: scheme, asked: names(in: head)), !tried.contains(next)
      else { return nil }
      return next
    }

    private func names(in head: ResponseHead) -> [String] {
      AuthScheme.names(in: head.values("www-authenticate")).map { $0.lowercased() }
    }

    /// The limit of challenges in one hop: the first one, and two that call a nonce stale.
    static let maxChallenges = 3
  }

  /// Makes libcurl send user name and password by `scheme`.
  func authorize(
    _ easy: EasyHandle, _ credentials: WebAddress.Credentials, by scheme: AuthScheme
  ) throws(HTTPError) {
    password.use(scheme)
    switch scheme {
    case .basic: try easy.set(CURLOPT_HTTPAUTH, ccurl_auth_basic)
    case .digest: try easy.set(CURLOPT_HTTPAUTH, ccurl_auth_digest)
    }
    try easy.set(CURLOPT_USERNAME, credentials.user)
    try easy.set(CURLOPT_PASSWORD, credentials.password)
  }

  /// Returns a handle that knows the challenge of an earlier request, and so sends the answer to it
  /// with the first request; nil if there is none.
  func knownHandle(_ handles: ChallengedHandles, _ way: Way) -> EasyHandle? {
    guard way.scheme == .digest else { return nil }
    password.handles = handles
    if password.wasForgotten {
      handles.forget(url.origin)
      return nil
    }
    let known = handles.take(for: url.origin, asksFolder: way.asksFolder)
    password.isKnown = known != nil
    return known
  }

  /// Keeps a handle for later requests to the origin, if the handle knows the origin's challenge.
  func leave(_ handle: EasyHandle) {
    guard password.scheme == .digest, password.isTaken else { return }
    password.handles?.keep(handle, for: url.origin)
  }

  /// Returns `end`, completed with the schemes that a 401 names, three at most.
  func named(_ end: TransferEnd, _ head: ResponseHead) -> TransferEnd {
    guard case .gone(401, nil) = end else { return end }
    let names = AuthScheme.names(in: head.values("www-authenticate"))
    return names.isEmpty
      ? end : .gone(status: 401, wants: names.prefix(3).joined(separator: " or "))
  }
}
