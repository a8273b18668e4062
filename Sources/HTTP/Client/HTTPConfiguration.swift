import Addresses

/// The user's decisions about the network.
package struct HTTPConfiguration: Sendable {
  /// The hosts of typed URLs, as `WebAddress.host` gives them. Under exactly these, on any port,
  /// loopback and private addresses may be reached.
  package var typedHosts: Set<String>
  /// The URLs that the user typed. The user name, password and header fields of one apply to all
  /// requests to its origin.
  package var typedURLs: [TypedAddress] = []
  /// Blocks of private addresses that may be reached under any host (`--allow-private`).
  package var allowedPrivate: [AddressBlock]
  /// `--proxy`; nil: none. The environment's proxy variables are never used, since a proxy defeats
  /// the check of addresses. This proxy is trusted with the check: it resolves the names. feedfs
  /// still checks only URLs that name an address themselves.
  package var proxy: String?
  /// The way TLS is verified.
  package var trust = Trust()
  package var userAgent: String
  /// Receives a report of each finished request, on the client's thread; nil: no reports.
  package var report: (@Sendable (RequestReport) -> Void)?
  /// The longest time that a transfer may bring no byte.
  package var stallTimeout: Duration
  package var connectTimeout: Duration
  /// Returns the addresses of this computer's interfaces, for the check of a public address.
  package var ownAddresses: @Sendable () -> Set<IPAddress> = OwnAddresses.now
  /// The most connections open at once, idle ones included; new ones replace the oldest idle ones.
  package var maxConnections = 512
  /// Frees a descriptor when the process has none left for a connection; returns whether it did.
  /// Called on the client's thread.
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

  /// Returns the credentials for `url`'s origin: its own, or else those of the typed URLs of
  /// `feed`.
  func credentials(for url: WebAddress, of feed: TypedAddress?) -> WebAddress.Credentials? {
    return url.credentials
      ?? typed(feed).compactMap(\.credentials).first { $0.origin == url.origin }
  }

  /// Returns the header fields for requests to `url`, for `feed`.
  func fields(for url: WebAddress, of feed: TypedAddress?) -> [HeaderField] {
    typed(feed).first { $0.address.origin == url.origin && !$0.fields.isEmpty }?.fields ?? []
  }

  private func typed(_ feed: TypedAddress?) -> [TypedAddress] {
    feed.map { [$0] } ?? typedURLs
  }

  var addressRule: AddressRule {
    AddressRule(
      typedHosts: Set(typedHosts.map { $0.lowercased() }), allowed: allowedPrivate,
      own: ownAddresses)
  }
}
