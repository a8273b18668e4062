/// Where redirects led, so that the next range of the same URL need not follow them again.
struct FinalURLs {
  private var urls: [String: WebURL] = [:]

  subscript(url: String) -> WebURL? { urls[url] }

  mutating func remember(_ final: WebURL, for url: String) {
    if urls[url] == nil, urls.count >= Self.most, let any = urls.keys.first { urls[any] = nil }
    urls[url] = final
  }

  mutating func forget(_ url: String) {
    urls[url] = nil
  }

  private static let most = 1024
}
