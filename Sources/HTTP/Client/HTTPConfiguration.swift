import Addresses

/// The user's settings for the network.
package struct HTTPConfiguration: Sendable {
  /// The hosts of the URLs that the user typed, as `WebAddress.host` gives them. The client is
  /// allowed to reach loopback and private addresses under exactly these hosts, on any port.
  package var typedHosts: Set<String>
  /// The URLs that the user typed. The user name, password and header fields of such a URL go with
  /// all requests to its origin.
  package var typedURLs: [TypedAddress] = []
  /// Blocks of private addresses that the client is allowed to reach under any host
  /// (`--allow-private`).
  package var allowedPrivate: [AddressBlock]
  /// The proxies. A proxy resolves the names, so feedfs cannot check the addresses behind them. For
  /// a request through a proxy, feedfs checks only a host that is an IP address, or a name that
  /// always means this computer.
  package var proxies: ProxyRule
  /// The rules by which TLS verifies a server.
  package var trust = Trust()
  package var userAgent: String
  /// Receives a report of each finished request, on the client's thread; nil: no reports.
  package var report: (@Sendable (RequestReport) -> Void)?
  /// The longest time for which a transfer is allowed to bring no byte. The timeout for a head can
  /// be longer, if the origin's heads come late (`HeadTimeouts`).
  package var stallTimeout: Duration
  /// The longest timeout for the head of an answer; nil: four times `stallTimeout`.
  package var headTimeout: Duration?
  package var connectTimeout: Duration
  /// Returns the addresses of this computer's interfaces. The client refuses them even if they are
  /// public.
  package var ownAddresses: @Sendable () -> Set<IPAddress> = OwnAddresses.now
  /// The limit of open connections, idle ones included. A new connection replaces the oldest idle
  /// one.
  package var maxConnections = 512
  /// Frees a file descriptor when the process has none left for a connection. Returns whether it
  /// freed one. Called on the client's thread.
  package var freeDescriptor: @Sendable () -> Bool = { false }

  package init(
    typedHosts: Set<String> = [], allowedPrivate: [AddressBlock] = [],
    proxies: ProxyRule = ProxyRule(),
    userAgent: String = "feedfs/0.1", stallTimeout: Duration = .seconds(10),
    connectTimeout: Duration = .seconds(10)
  ) {
    self.typedHosts = typedHosts
    self.allowedPrivate = allowedPrivate
    self.proxies = proxies
    self.userAgent = userAgent
    self.stallTimeout = stallTimeout
    self.connectTimeout = connectTimeout
  }

  /// Returns the credentials for the origin of `url`: those in `url` itself, or else those of the
  /// typed URL `feed`. If `feed` is nil, the credentials of all typed URLs count.
  func credentials(for url: WebAddress, of feed: TypedAddress?) -> WebAddress.Credentials? {
    return url.credentials
      ?? typed(feed).compactMap(\.credentials).first { $0.origin == url.origin }
  }

  /// Returns the user's header fields for a request to `url`. If `feed` is nil, the fields of all
  /// typed URLs count.
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
