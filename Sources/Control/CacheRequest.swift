internal import FoundationEssentials

/// What a command asks of the cache of a mount. Files are called as in the mount, or as `CacheItem` has it.
package enum CacheRequest: Hashable, Sendable {
  /// What is kept: `CacheListing`.
  case list
  /// Take these out of the cache, or everything: `CacheOutcome`.
  case clear([String])
  /// Keep these as a whole, whatever else has to go: `CacheOutcome`.
  case pin([String])
  case unpin([String])
  /// Take away what nobody is likely to want: `CacheOutcome`.
  case prune(PruneRule)
  /// Compare some of what is kept with its checksums, from where the last answer said: `CheckOutcome`.
  case verify(String, from: String?)
  /// Fetch these as a whole, for as long as this is asked twice a second: `FetchProgress`.
  case fetch([String])
  /// The same of so many listed entries behind the one that was played last.
  case fetchNext(Int)

  /// Nil for what is no route; `action` is what follows "/v1/cache".
  init?(method: String, action: String, items: [(name: String, value: String?)]) {
    func first(_ name: String) -> String? { items.first { $0.name == name }?.value }
    let files = items.filter { $0.name == "file" }.compactMap(\.value)
    switch (method, action) {
    case ("GET", ""): self = .list
    case ("POST", "/clear"): self = .clear(files)
    case ("POST", "/pin"): self = .pin(files)
    case ("POST", "/unpin"): self = .unpin(files)
    case ("POST", "/prune"):
      var rule = PruneRule()
      rule.unusedFor = first("unused").flatMap { Int($0) }
      rule.bytes = first("to").flatMap { Int($0) }
      rule.isRehearsal = items.contains { $0.name == "dry-run" }
      self = .prune(rule)
    case ("POST", "/verify"):
      guard let file = files.first else { return nil }
      self = .verify(file, from: first("from"))
    case ("POST", "/fetch"):
      if let count = first("next").flatMap({ Int($0) }) {
        self = .fetchNext(count)
      } else {
        self = .fetch(files)
      }
    default: return nil
    }
  }

  var method: String { self == .list ? "GET" : "POST" }

  /// What follows "/v1/cache".
  var action: String {
    switch self {
    case .list: ""
    case .clear: "/clear"
    case .pin: "/pin"
    case .unpin: "/unpin"
    case .prune: "/prune"
    case .verify: "/verify"
    case .fetch, .fetchNext: "/fetch"
    }
  }

  var items: [(name: String, value: String?)] {
    switch self {
    case .list: []
    case .clear(let files), .pin(let files), .unpin(let files), .fetch(let files):
      files.map { ("file", $0) }
    case .prune(let rule):
      [
        rule.unusedFor.map { ("unused", "\($0)") }, rule.bytes.map { ("to", "\($0)") },
        rule.isRehearsal ? ("dry-run", "1") : nil,
      ].compactMap(\.self)
    case .verify(let file, let start): [("file", file)] + (start.map { [("from", $0)] } ?? [])
    case .fetchNext(let count): [("next", "\(count)")]
    }
  }
}
