import FoundationEssentials

/// What a command asks of a mount: docs/control.md has the routes.
package enum ControlRequest: Hashable, Sendable {
  /// The mount as it is: `MountStatus`.
  case status
  /// Read the feeds again: `RefreshOutcome`. Of one folder, or of all.
  case refresh(feed: String?)
  /// Read the next page: `MoreOutcome`.
  case more(feed: String?)

  /// Nil for what is no route.
  package init?(method: String, target: String) {
    guard let parts = URLComponents(string: target) else { return nil }
    let feed = parts.queryItems?.first { $0.name == "feed" }?.value
    switch (method, parts.path) {
    case ("GET", "/v1/status"): self = .status
    case ("POST", "/v1/refresh"): self = .refresh(feed: feed)
    case ("POST", "/v1/more"): self = .more(feed: feed)
    default: return nil
    }
  }

  package var method: String {
    switch self {
    case .status: "GET"
    case .refresh, .more: "POST"
    }
  }

  /// Path and query.
  package var target: String {
    switch self {
    case .status: "/v1/status"
    case .refresh(let feed): "/v1/refresh" + Self.query(feed)
    case .more(let feed): "/v1/more" + Self.query(feed)
    }
  }

  private static func query(_ feed: String?) -> String {
    guard let feed else { return "" }
    var parts = URLComponents()
    parts.queryItems = [URLQueryItem(name: "feed", value: feed)]
    return parts.string ?? ""
  }
}
