import Addresses

/// Remembers the targets of redirects. The next range request for the same URL then goes directly
/// to the target.
struct FinalURLs {
  typealias Instant = ContinuousClock.Instant

  /// The cookies that a chain of redirects has set, and the feed whose request followed the chain.
  struct Chain {
    let cookies: CookieJar
    let feed: TypedAddress?
  }

  private var urls: [String: WebAddress] = [:]
  /// The chains of redirects that have set cookies, by their first URL.
  private var chains: [String: Chain] = [:]
  /// The times from which a first URL can be asked again after its target fell silent.
  private var pauses: [String: Instant] = [:]

  subscript(url: String) -> WebAddress? { urls[url] }

  /// Returns the cookies that the redirects from `url` have set; nil if there are none, or if they
  /// were set for another feed. Such cookies can be as secret as that feed's password.
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

  /// Returns the time from which `url`, which redirects, can be asked again; nil: now.
  func pause(of url: String) -> Instant? { pauses[url] }

  /// Notes that `url`, which redirects, is asked again now.
  mutating func asked(_ url: String, at now: Instant) {
    if pauses.count >= Self.maxURLs { pauses = pauses.filter { $0.value > now } }
    pauses[url] = now + Self.pause
  }

  /// The pause between two walkers that ask the same URL. It is short enough to find a new target
  /// within the time that promise L4 allows (docs/internals/semantics.md).
  private static let pause = Duration.seconds(4)
  private static let maxURLs = 1024
  private static let maxChains = 64
}
