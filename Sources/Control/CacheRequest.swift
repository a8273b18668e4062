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
  ///
  /// Nothing is passed over: what is cleared for a misspelt name would be everything.
  init?(method: String, action: String, items: [(name: String, value: String?)]) {
    var files: [String] = []
    var others: [String: String] = [:]
    var numbers: [String: Int] = [:]
    for (name, value) in items {
      guard let value, !value.isEmpty else { return nil }
      switch name {
      case "file": files.append(value)
      case "unused", "to", "next", "dry-run":
        guard let number = Int(value), number >= 0, numbers.updateValue(number, forKey: name) == nil
        else { return nil }
      default: guard others.updateValue(value, forKey: name) == nil else { return nil }
      }
    }
    let names = Set(others.keys).union(numbers.keys)
    switch (method, action) {
    case ("GET", "") where files.isEmpty && names.isEmpty: self = .list
    case ("POST", "/clear") where names.isEmpty: self = .clear(files)
    case ("POST", "/pin") where !files.isEmpty && names.isEmpty: self = .pin(files)
    case ("POST", "/unpin") where !files.isEmpty && names.isEmpty: self = .unpin(files)
    case ("POST", "/prune") where files.isEmpty && names.isSubset(of: ["unused", "to", "dry-run"]):
      var rule = PruneRule()
      rule.unusedFor = numbers["unused"]
      rule.bytes = numbers["to"]
      rule.isRehearsal = numbers["dry-run"] == 1
      guard [1, nil].contains(numbers["dry-run"]) else { return nil }
      self = .prune(rule)
    case ("POST", "/verify") where files.count == 1 && names.isSubset(of: ["from"]):
      self = .verify(files[0], from: others["from"])
    case ("POST", "/fetch") where !files.isEmpty && names.isEmpty: self = .fetch(files)
    case ("POST", "/fetch") where files.isEmpty && names == ["next"] && numbers["next"] != 0:
      self = .fetchNext(numbers["next", default: 1])
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

/// What `prune` takes away, besides what no feed lists any more and versions that were replaced.
package struct PruneRule: Hashable, Sendable {
  /// What was not used for so many seconds; nil: nothing for that reason.
  package var unusedFor: Int?
  /// What would go first, until all feeds together take up so many bytes; nil: nothing for that reason.
  package var bytes: Int?
  /// Whether it is only said what would go.
  package var isRehearsal = false

  package init() {}
}
