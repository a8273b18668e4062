import FoundationEssentials

/// What a command asks of a mount: docs/control.md has the routes.
package enum ControlRequest: Hashable, Sendable {
  /// Which mount it is: `MountIdentity`. Answered at once, whatever the mount is at.
  case mount
  /// The mount as it is: `MountStatus`.
  case status
  /// The mount, and some of its files: `MountStatus`.
  case files(StatusPart)
  /// One file: `FileDetails`.
  case file(name: String)
  /// Read the feeds again: `RefreshOutcome`. Of one folder, or of all.
  case refresh(feed: String?)
  /// Read the next page: `MoreOutcome`.
  case more(feed: String?)
  /// Fetch, or do not: `SteeringOutcome`.
  case turn(Mode)
  /// Take no more than so many bytes a second, "2M", or as many as come, "off": `SteeringOutcome`.
  case limit(rate: String)
  /// Do something with what is kept.
  case cache(CacheRequest)

  /// Nil for what is no route.
  package init?(method: String, target: String) {
    guard let parts = URLComponents(string: target) else { return nil }
    let feed = parts.queryItems?.first { $0.name == "feed" }?.value
    let name = parts.queryItems?.first { $0.name == "name" }?.value
    switch (method, parts.path) {
    case ("GET", "/v1/mount"): self = .mount
    case ("GET", "/v1/status"):
      let items = (parts.queryItems ?? []).map { (name: $0.name, value: $0.value) }
      guard let part = StatusPart(items) else { return nil }
      self = part == StatusPart() ? .status : .files(part)
    case ("GET", "/v1/file"): self = .file(name: name ?? "")
    case ("POST", "/v1/refresh"): self = .refresh(feed: feed)
    case ("POST", "/v1/more"): self = .more(feed: feed)
    case ("POST", "/v1/pause"): self = .turn(.paused)
    case ("POST", "/v1/offline"): self = .turn(.offline)
    case ("POST", "/v1/online"): self = .turn(.online)
    case ("POST", "/v1/limit"):
      guard let rate = parts.queryItems?.first(where: { $0.name == "rate" })?.value else {
        return nil
      }
      self = .limit(rate: rate)
    default:
      let items = (parts.queryItems ?? []).map { (name: $0.name, value: $0.value) }
      guard parts.path.hasPrefix(Self.cache),
        let request = CacheRequest(
          method: method, action: String(parts.path.dropFirst(Self.cache.count)), items: items)
      else { return nil }
      self = .cache(request)
    }
  }

  private static let cache = "/v1/cache"

  package var method: String {
    switch self {
    case .mount, .status, .files, .file: "GET"
    case .refresh, .more, .turn, .limit: "POST"
    case .cache(let request): request.method
    }
  }

  /// Path and query.
  package var target: String {
    switch self {
    case .mount: "/v1/mount"
    case .status: "/v1/status"
    case .files(let part): "/v1/status" + Self.query(part.items)
    case .file(let name): "/v1/file" + Self.query("name", name)
    case .refresh(let feed): "/v1/refresh" + Self.query("feed", feed)
    case .more(let feed): "/v1/more" + Self.query("feed", feed)
    case .turn(.paused): "/v1/pause"
    case .turn(.offline): "/v1/offline"
    case .turn(.online): "/v1/online"
    case .limit(let rate): "/v1/limit" + Self.query("rate", rate)
    case .cache(let request): Self.cache + request.action + Self.query(request.items)
    }
  }

  private static func query(_ name: String, _ value: String?) -> String {
    query(value.map { [(name, $0)] } ?? [])
  }

  private static func query(_ items: [(name: String, value: String?)]) -> String {
    guard !items.isEmpty else { return "" }
    var parts = URLComponents()
    parts.queryItems = items.map { URLQueryItem(name: $0.name, value: $0.value) }
    return parts.string ?? ""
  }
}
