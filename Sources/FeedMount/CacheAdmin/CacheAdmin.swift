import Blocks
import Control
import Catalog
import Dispatch
import Storage
import SystemPackage
import World

/// Runs cache commands on the caches of a mount's feeds, or on unmounted caches.
///
/// Safe from any thread. Commands can block on the disk. They run on `queue`, one after the other.
final class CacheAdmin: Sendable {
  /// A feed on whose cache the commands run.
  struct Member: Sendable {
    let feed: any CachedFeed
    /// The mounted feed; nil if the feed is not mounted, so that nothing of it can be fetched.
    let mounted: MountedFeed?
    /// The prefix of the names of the feed's files.
    let prefix: String

    init(feed: MountedFeed, prefix: String) {
      (self.feed, mounted, self.prefix) = (feed, feed, prefix)
    }

    init(unmounted feed: UnmountedFeed, prefix: String) {
      (self.feed, mounted, self.prefix) = (feed, nil, prefix)
    }

    var catalog: Catalog { feed.catalog }
  }

  /// The entry or orphan that a file name of a command stands for.
  enum Target: Sendable {
    case entry(Member, CatalogEntry)
    /// The names of orphans: files whose entry no feed lists any more.
    case orphan(Member, [String])
  }

  /// The reason why a command cannot be obeyed.
  struct Refusal: Error {
    let status: Int
    let reason: String
  }

  let directory: FilePath
  /// The state directories that all feeds share.
  let stateOfAll: [FilePath]
  /// The preloader of the mount. It is nil for unmounted caches, which fetch nothing.
  let preloader: Preloader?
  private let queue: any JobQueue
  private let find: @Sendable () -> [Member]

  /// - Parameters:
  ///   - members: returns the feeds, which can come and go.
  ///   - jobs: a queue that runs nothing else.
  init(
    on members: @escaping @Sendable () -> [Member], in directory: FilePath,
    stateOfAll: [FilePath] = [], preloader: Preloader?, jobs: any JobQueue
  ) {
    queue = jobs
    find = members
    self.directory = directory
    self.stateOfAll = stateOfAll
    self.preloader = preloader
  }

  /// The current feeds.
  var members: [Member] { find() }

  func answer(_ request: CacheRequest) async -> ControlAnswer {
    await withCheckedContinuation { caller in
      queue.add { [self] in
        do throws(Refusal) {
          caller.resume(returning: try perform(request))
        } catch {
          caller.resume(returning: .refusal(error.status, error.reason))
        }
      }
    }
  }

  private func perform(_ request: CacheRequest) throws(Refusal) -> ControlAnswer {
    switch request {
    case .list: ControlAnswer(listing)
    case .clear(let names): ControlAnswer(clear(try targets(names), isAll: names.isEmpty))
    case .pin(let names): ControlAnswer(try pin(true, try targets(names)))
    case .unpin(let names): ControlAnswer(try pin(false, try targets(names)))
    case .prune(let rule): ControlAnswer(prune(by: rule))
    case .verify(let name, let start): ControlAnswer(verify(try target(name), from: start))
    case .fetch(let names): ControlAnswer(try fetch(try targets(names)))
    case .fetchNext(let count): ControlAnswer(try fetch(next(count)))
    }
  }

  // MARK: Names

  private func targets(_ names: [String]) throws(Refusal) -> [Target] {
    var targets: [Target] = []
    for name in names { targets.append(try target(name)) }
    return targets
  }

  private func target(_ name: String) throws(Refusal) -> Target {
    for member in members where name.hasPrefix(member.prefix) {
      let rest = String(name.dropFirst(member.prefix.count))
      let titles = FeedFileSystem.titlesName + "/"
      let entry =
        rest.hasPrefix(titles)
        ? member.catalog.entry(titled: String(rest.dropFirst(titles.count)))
        : member.catalog.entry(named: rest)
      if let entry { return .entry(member, entry) }
      let orphans = orphans(of: member).filter { Self.orphanName(of: $0.name) == rest }
      if !orphans.isEmpty { return .orphan(member, orphans.map(\.name)) }
    }
    guard let (member, entry) = try entry(titled: name) else {
      throw Refusal(
        status: 404,
        reason: "\(name): there is no such file; `feedfs cache list` shows what is cached")
    }
    return .entry(member, entry)
  }

  /// Returns the listed entry that `name` means, which is a file name or a title; nil if there is
  /// none. Throws if several titles fit.
  func entry(called name: String) throws(Refusal) -> (Member, CatalogEntry)? {
    for member in members where name.hasPrefix(member.prefix) {
      let rest = String(name.dropFirst(member.prefix.count))
      if let entry = member.catalog.entry(named: rest) { return (member, entry) }
    }
    return try entry(titled: name)
  }

  /// Returns the listed entry whose title is `name` or contains it; nil if there is none. Throws if
  /// several titles fit.
  private func entry(titled name: String) throws(Refusal) -> (Member, CatalogEntry)? {
    // If `name` has the form of a file name, it is not searched for among the titles.
    let last = name.split(separator: "/").last.map(String.init) ?? name
    guard !(FileName.number(in: last).map { FileName.isName(last, of: $0) } ?? false) else {
      return nil
    }
    let inside = members.filter { !$0.prefix.isEmpty && name.hasPrefix($0.prefix) }
    let text = inside.first.map { String(name.dropFirst($0.prefix.count)) } ?? name
    var search = TitleSearch<(Member, CatalogEntry)>(text)
    for member in inside.isEmpty ? members : inside {
      for entry in member.catalog.listed {
        search.look(at: entry.shownTitle, of: (member, entry))
      }
    }
    guard search.found.count > 1 else { return search.found.first?.place }
    throw Refusal(
      status: 400,
      reason: TitleSearch.doubt(about: text, search.found) { $0.0.prefix + $0.1.name })
  }

  /// Returns the orphans of `member`: the files of entries that are not listed.
  func orphans(of member: Member) -> [CachedVersion] {
    let listed = Set(member.catalog.listed.map(\.key))
    return member.feed.cache.versions().filter { version in
      !(version.key.map { listed.contains($0.entry) } ?? false)
    }
  }

  /// Returns the common name of all orphans of one entry.
  static func orphanName(of name: String) -> String {
    String(name.prefix { $0 != "-" }.prefix(12))
  }

  func name(of target: Target) -> String {
    switch target {
    case .entry(let member, let entry): member.prefix + entry.name
    case .orphan(let member, let names):
      member.prefix + (names.first.map { Self.orphanName(of: $0) } ?? "")
    }
  }
}
