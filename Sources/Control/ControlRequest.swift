package import Blocks
import FoundationEssentials

/// A request to a mount. The comment of a case names the type of the answer after the colon.
/// docs/control.md has the routes.
package enum ControlRequest: Hashable, Sendable {
  /// The identity of the mount: `MountIdentity`. Even a busy mount answers at once.
  case mount
  /// The status with all files: `MountStatus`.
  case status
  /// The status with some of the files: `MountStatus`.
  case files(StatusPart)
  /// The details of one file: `FileDetails`.
  case file(name: String)
  /// Refresh the feed of one folder, or all feeds if `feed` is nil: `RefreshOutcome`.
  case refresh(feed: String?)
  /// The moves of the feed of one folder, or of all feeds if `feed` is nil: `FeedMoves`.
  case moves(feed: String?)
  /// Read the next page of the feed of one folder, or of all feeds if `feed` is nil: `MoreOutcome`.
  case more(feed: String?)
  /// Note that a player has played a file to its end: `PlayedOutcome`.
  case played(name: String)
  /// Take in the user's subscriptions as the configuration file has them now:
  /// `SubscriptionsOutcome`.
  case follow
  /// Change the network mode: `SteeringOutcome`.
  case turn(NetworkMode)
  /// Limit the bytes a second, as in "2M", or lift the limit with "off": `SteeringOutcome`.
  case limit(rate: String)
  /// Say whether the network is metered: `SteeringOutcome`.
  case meter(Bool)
  /// End the waiting reads of this process: `ReleaseOutcome`.
  case release(process: Int32)
  /// List or change the cached files, as `CacheRequest` says.
  case cache(CacheRequest)

  /// Returns nil if there is no such route.
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
    case ("GET", "/v1/moves"): self = .moves(feed: feed)
    case ("POST", "/v1/more"): self = .more(feed: feed)
    case ("POST", "/v1/played"): self = .played(name: name ?? "")
    case ("POST", "/v1/subscriptions"): self = .follow
    case ("POST", "/v1/pause"): self = .turn(.paused)
    case ("POST", "/v1/offline"): self = .turn(.offline)
    case ("POST", "/v1/online"): self = .turn(.online)
    case ("POST", "/v1/limit"):
      guard let rate = parts.queryItems?.first(where: { $0.name == "rate" })?.value else {
        return nil
      }
      self = .limit(rate: rate)
    case ("POST", "/v1/metered"):
      switch parts.queryItems?.first(where: { $0.name == "is" })?.value {
      case "on": self = .meter(true)
      case "off": self = .meter(false)
      default: return nil
      }
    case ("POST", "/v1/release"):
      let process = parts.queryItems?.first { $0.name == "process" }?.value.flatMap { Int32($0) }
      guard let process else { return nil }
      self = .release(process: process)
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
    case .mount, .status, .files, .file, .moves: "GET"
    case .refresh, .more, .played, .follow, .turn, .limit, .meter, .release: "POST"
    case .cache(let request): request.method
    }
  }

  /// The path and the query of the request.
  package var target: String {
    switch self {
    case .mount: "/v1/mount"
    case .status: "/v1/status"
    case .files(let part): "/v1/status" + Self.query(part.items)
    case .file(let name): "/v1/file" + Self.query("name", name)
    case .refresh(let feed): "/v1/refresh" + Self.query("feed", feed)
    case .moves(let feed): "/v1/moves" + Self.query("feed", feed)
    case .more(let feed): "/v1/more" + Self.query("feed", feed)
    case .played(let name): "/v1/played" + Self.query("name", name)
    case .follow: "/v1/subscriptions"
    case .turn(.paused): "/v1/pause"
    case .turn(.offline): "/v1/offline"
    case .turn(.online): "/v1/online"
    case .limit(let rate): "/v1/limit" + Self.query("rate", rate)
    case .meter(let isMetered): "/v1/metered" + Self.query("is", isMetered ? "on" : "off")
    case .release(let process): "/v1/release" + Self.query("process", "\(process)")
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
