internal import FoundationEssentials

/// A request about the cache of a mount. It names files by their names in the mount, or as
/// `CacheItem.name` does. The comment of a case names the type of the answer after the colon.
package enum CacheRequest: Hashable, Sendable {
  /// List the cached files: `CacheListing`.
  case list
  /// Clear these files, or all files if the list is empty: `CacheOutcome`.
  case clear([String])
  /// Pin these files, even if other files must be evicted: `CacheOutcome`.
  case pin([String])
  case unpin([String])
  /// Evict files that are unlikely to be wanted: `CacheOutcome`.
  case prune(PruneRule)
  /// Compare some blocks of a file with their checksums: `CheckOutcome`. `from` is the `next` of
  /// the last answer; nil begins at the start of the file.
  case verify(String, from: String?)
  /// Fetch these files as a whole: `FetchProgress`. The client has to repeat the request twice a
  /// second, because the mount soon forgets it.
  case fetch([String])
  /// Fetch this number of listed entries after the entry that was played last, in the same way as
  /// `fetch`.
  case fetchNext(Int)

  /// Returns nil if there is no such route. `action` is the part of the path after "/v1/cache".
  ///
  /// An unknown query item makes the request invalid. If such an item were ignored, a misspelt name
  /// would clear the whole cache.
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

  /// The part of the path after "/v1/cache".
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

/// The choice of files that `prune` evicts. It evicts unlisted entries and replaced versions in any
/// case.
package struct PruneRule: Hashable, Sendable {
  /// `prune` evicts files that were not used for this number of seconds; nil sets no such limit.
  package var unusedFor: Int?
  /// `prune` evicts until all feeds together take up this number of bytes, in the order in which a
  /// full cache evicts. Nil sets no such limit.
  package var bytes: Int?
  /// True if `prune` evicts nothing, and only names the files that it would evict.
  package var isRehearsal = false

  package init() {}
}
