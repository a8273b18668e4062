import Addresses

/// The targets of redirects. The next range of the same URL begins at its target, without the
/// redirects.
struct FinalURLs {
  typealias Instant = ContinuousClock.Instant

  private var urls: [String: WebAddress] = [:]
  /// The times at which redirectors may be asked again after their target fell silent.
  private var pauses: [String: Instant] = [:]

  subscript(url: String) -> WebAddress? { urls[url] }

  mutating func remember(_ final: WebAddress, for url: String) {
    if urls[url] == nil, urls.count >= Self.most, let any = urls.keys.first { urls[any] = nil }
    urls[url] = final
  }

  mutating func forget(_ url: String) {
    urls[url] = nil
  }

  /// Returns the time when the redirector at `url` may be asked again; nil: now.
  func pause(of url: String) -> Instant? { pauses[url] }

  /// Notes that the redirector at `url` is asked again now.
  mutating func asked(_ url: String, at now: Instant) {
    if pauses.count >= Self.most { pauses = pauses.filter { $0.value > now } }
    pauses[url] = now + Self.pause
  }

  /// The pause between two such requests. It is short enough to find a new target within the
  /// promised time.
  private static let pause = Duration.seconds(4)
  private static let most = 1024
}
