import Addresses

/// The targets of redirects; the next range of the same URL need not follow them again.
struct FinalURLs {
  typealias Instant = ContinuousClock.Instant

  private var urls: [String: WebAddress] = [:]
  /// The times when redirectors with silent targets may be asked again.
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

  /// Notes that the redirector at `url` is asked again.
  mutating func asked(_ url: String, at now: Instant) {
    if pauses.count >= Self.most { pauses = pauses.filter { $0.value > now } }
    pauses[url] = now + Self.pause
  }

  /// The pause between two such requests, short enough to notice a new target in the promised time.
  private static let pause = Duration.seconds(4)
  private static let most = 1024
}
