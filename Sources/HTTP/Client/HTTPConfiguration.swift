/// What the user decides about the network.
package struct HTTPConfiguration: Sendable {
  /// Hosts of URLs that the user typed, as `WebURL.host` gives them: under exactly these, on any
  /// port, loopback and private addresses are reached.
  package var typedHosts: Set<String>
  /// The URLs that the user typed: what user name, password and header fields one has is for all that
  /// is asked of its origin.
  package var typedURLs: [WebURL] = []
  /// Blocks of private addresses that may be reached under any host (`--allow-private`).
  package var allowedPrivate: [AddressBlock]
  /// `--proxy`; nil: none. The environment's proxy variables are never used, since a proxy defeats
  /// the check of addresses. This one is trusted with it: it resolves the names, and only URLs
  /// that name an address themselves are still checked here.
  package var proxy: String?
  /// How TLS is verified.
  package var trust = Trust()
  package var userAgent: String
  /// Told of each request when it is over, on the client's thread; nil: nobody wants to know.
  package var report: (@Sendable (RequestReport) -> Void)?
  /// A transfer ends when it gave no byte for this long.
  package var stallTimeout: Duration
  package var connectTimeout: Duration
  /// The addresses of this computer's interfaces, asked for before a connection to a public address is made.
  package var ownAddresses: @Sendable () -> Set<IPAddress> = OwnAddresses.now
  /// Connections that may be open at once, kept ones among them, of which the oldest make room for new ones.
  package var mostConnections = 512
  /// Called on the client's thread when the process has no descriptor left for a connection; true: it has
  /// one now.
  package var freeDescriptor: @Sendable () -> Bool = { false }

  package init(
    typedHosts: Set<String> = [], allowedPrivate: [AddressBlock] = [], proxy: String? = nil,
    userAgent: String = "feedfs/0.1", stallTimeout: Duration = .seconds(10),
    connectTimeout: Duration = .seconds(10)
  ) {
    self.typedHosts = typedHosts
    self.allowedPrivate = allowedPrivate
    self.proxy = proxy
    self.userAgent = userAgent
    self.stallTimeout = stallTimeout
    self.connectTimeout = connectTimeout
  }

  /// What is sent first to `url`'s origin, for `feed`.
  func credentials(for url: WebURL, of feed: WebURL?) -> WebURL.Credentials? {
    return url.credentials
      ?? typed(feed).compactMap(\.credentials).first { $0.origin == url.origin }
  }

  /// The header fields that go with what is asked at `url`, for `feed`.
  func fields(for url: WebURL, of feed: WebURL?) -> [HeaderField] {
    typed(feed).first { $0.origin == url.origin && !$0.fields.isEmpty }?.fields ?? []
  }

  private func typed(_ feed: WebURL?) -> [WebURL] {
    feed.map { [$0] } ?? typedURLs
  }

  var addressRule: AddressRule {
    AddressRule(
      typedHosts: Set(typedHosts.map { $0.lowercased() }), allowed: allowedPrivate,
      own: ownAddresses)
  }
}
