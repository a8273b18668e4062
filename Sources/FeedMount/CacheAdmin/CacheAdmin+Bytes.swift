import Blocks
import Control
import Catalog
import Storage

/// Verifies cached bytes, and fetches missing ones.
extension CacheAdmin {
  /// The number of bytes to verify for one answer. The command shows its progress after each
  /// answer.
  private static let step = 64 << 20  // bytes

  /// Verifies the next bytes of `target`.
  ///
  /// - Parameter start: `next` of the previous answer; nil to begin with the first block.
  func verify(_ target: Target, from start: String?) -> CheckOutcome {
    var outcome = CheckOutcome()
    let (member, names) = versions(of: target)
    let place = start.flatMap(Place.init)
    for name in names where place.map({ $0.name <= name }) ?? true {
      let first = place?.name == name ? place?.block ?? 0 : 0
      guard outcome.checked < Self.step else {
        outcome.next = Place(name: name, block: first).text
        return outcome
      }
      let checked = member.feed.check(
        name, from: BlockIndex(first), bytes: Self.step - outcome.checked)
      outcome.checked += checked?.bytes ?? 0
      outcome.wrong += checked?.wrong.count ?? 0
      if let next = checked?.next {
        outcome.next = Place(name: name, block: next.value).text
        return outcome
      }
    }
    return outcome
  }

  /// Returns the member of `target`, and the file names of all versions of `target` in order.
  private func versions(of target: Target) -> (Member, [String]) {
    switch target {
    case .entry(let member, let entry):
      (member, member.feed.cache.versions(of: entry.key).map(\.name))
    case .orphan(let member, let names): (member, names.sorted())
    }
  }

  /// The place where the next verification goes on: "NAME:BLOCK".
  private struct Place {
    let name: String
    let block: Int

    init(name: String, block: Int) {
      self.name = name
      self.block = block
    }

    init?(_ text: String) {
      let parts = text.split(separator: ":")
      guard parts.count == 2, let block = Int(parts[1]), 0..<1 << 40 ~= block else { return nil }
      self.init(name: String(parts[0]), block: block)
    }

    var text: String { "\(name):\(block)" }
  }

  // MARK: Fetching

  /// Returns the next `count` entries of each feed, after the entry that was played last.
  func next(_ count: Int) -> [Target] {
    members.flatMap { member in
      member.catalog.upNext.prefix(max(0, count)).map { .entry(member, $0) }
    }
  }

  /// Asks the preloader for all `targets` that are not complete. Returns the progress of all
  /// targets. Throws if a target cannot be fetched, or if nothing can be fetched now.
  func fetch(_ targets: [Target]) throws(Refusal) -> FetchProgress {
    guard let preloader else {
      throw Refusal(
        status: 409,
        reason: "the feed of these files is not mounted, so nothing can be fetched; mount it first")
    }
    var files: [FetchProgress.File] = []
    var missing: [(feed: MountedFeed, inode: UInt64)] = []
    for target in targets {
      guard case .entry(let member, let entry) = target, let mounted = member.mounted else {
        throw Refusal(
          status: 404,
          reason: "\(name(of: target)): no feed lists this file any more, so it cannot be fetched")
      }
      let stored = member.feed.cachedBytes(of: entry)
      let isComplete = entry.known.map { $0.length == stored } ?? false
      var file = FetchProgress.File(
        name: name(of: target), size: entry.known?.length ?? entry.claimedLength,
        cached: stored, isComplete: isComplete)
      if !isComplete { note(entry, of: mounted.live, in: &file) }
      if !isComplete, file.isHopeless != true { missing.append((mounted, entry.inode)) }
      files.append(file)
    }
    if let mode = missing.first?.feed.live.maker.mode(), mode != .online {
      throw Refusal(
        status: 409,
        reason: "feedfs fetches nothing, because the mount is \(mode); `feedfs online` changes that"
      )
    }
    for feed in members.compactMap(\.mounted) {
      let inodes = missing.filter { $0.feed === feed }.map(\.inode)
      if !inodes.isEmpty { preloader.ask(for: inodes, in: feed.live) }
    }
    return FetchProgress(files: files, problem: problem)
  }

  /// Notes in `file` the reason why `entry` does not arrive. If the entry seemed hopeless, and no
  /// command waits for it yet, its failure is first forgotten, so that it is tried again.
  private func note(
    _ entry: CatalogEntry, of live: LiveCatalog, in file: inout FetchProgress.File
  ) {
    let isHopeless = live.failures.last(of: entry.number)?.isHopeless ?? false
    let wasAsked = preloader?.wasAsked(for: entry.inode, in: live) ?? false
    if isHopeless, !wasAsked { live.tryAgain([entry.number]) }
    guard let failure = live.failures.last(of: entry.number) else { return }
    file.reason = failure.what
    file.isHopeless = failure.isHopeless
  }

  private var problem: String? {
    members.lazy.compactMap(\.mounted?.problems.current).first
  }
}
