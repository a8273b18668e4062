/// Where redirects led, so that the next range of the same URL need not follow them again.
struct FinalURLs {
  typealias Instant = ContinuousClock.Instant

  private var urls: [String: WebURL] = [:]
  /// When a redirector may be asked again whose target says nothing.
  private var pauses: [String: Instant] = [:]

  subscript(url: String) -> WebURL? { urls[url] }

  mutating func remember(_ final: WebURL, for url: String) {
    if urls[url] == nil, urls.count >= Self.most, let any = urls.keys.first { urls[any] = nil }
    urls[url] = final
  }

  mutating func forget(_ url: String) {
    urls[url] = nil
  }

  /// When the redirector at `url` may be asked anew; nil: now.
  func pause(of url: String) -> Instant? { pauses[url] }

  /// The redirector at `url` is asked anew.
  mutating func asked(_ url: String, at now: Instant) {
    if pauses.count >= Self.most { pauses = pauses.filter { $0.value > now } }
    pauses[url] = now + Self.pause
  }

  /// So that one that names another target is noticed within the time that is promised.
  private static let pause = Duration.seconds(4)
  private static let most = 1024
}
