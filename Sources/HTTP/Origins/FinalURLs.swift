import Addresses

/// Remembers the targets of redirects. The next request for a range of the same URL goes to the
/// target at once.
struct FinalURLs {
  typealias Instant = ContinuousClock.Instant

  /// The cookies of a chain of redirects, and the feed that asked.
  struct Chain {
    let cookies: CookieJar
    let feed: TypedAddress?
  }

  private var urls: [String: WebAddress] = [:]
  /// The chains whose targets may want their cookies.
  private var chains: [String: Chain] = [:]
  /// The times at which redirectors may be asked again after their target fell silent.
  private var pauses: [String: Instant] = [:]

  subscript(url: String) -> WebAddress? { urls[url] }

  /// Returns the cookies that the redirects at `url` have set; nil if there are none, or if another
  /// feed was asking. They may be as secret as the feed's password.
  func cookies(of url: String, for feed: TypedAddress?) -> CookieJar? {
    chains[url].flatMap { $0.feed == feed ? $0.cookies : nil }
  }

  mutating func remember(_ final: WebAddress, for url: String, _ chain: Chain) {
    if urls[url] == nil, urls.count >= Self.maxURLs, let any = urls.keys.first { forget(any) }
    urls[url] = final
    chains[url] = nil
    guard !chain.cookies.isEmpty else { return }
    if chains.count >= Self.maxChains, let any = chains.keys.first { chains[any] = nil }
    chains[url] = chain
  }

  mutating func forget(_ url: String) {
    urls[url] = nil
    chains[url] = nil
  }

  /// Returns the time when the redirector at `url` may be asked again; nil: now.
  func pause(of url: String) -> Instant? { pauses[url] }

  /// Notes that the redirector at `url` is asked again now.
  mutating func asked(_ url: String, at now: Instant) {
    if pauses.count >= Self.maxURLs { pauses = pauses.filter { $0.value > now } }
    pauses[url] = now + Self.pause
  }

  /// The pause between two requests to the same redirector. It is short enough to find a new target
  /// within the time of the promise L4 (docs/internals/semantics.md).
  private static let pause = Duration.seconds(4)
  private static let maxURLs = 1024
  private static let maxChains = 64
}
