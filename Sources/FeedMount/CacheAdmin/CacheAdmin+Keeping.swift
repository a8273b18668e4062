import Blocks
import Catalog
import Control
import FeedReading
import Host
import Locks
import Storage
import World

/// Pins, clears and prunes entries.
extension CacheAdmin {
  /// Pins or unpins `targets`. Saves the catalog before it returns.
  func pin(_ isPinned: Bool, _ targets: [Target]) throws(Refusal) -> CacheOutcome {
    var outcome = CacheOutcome()
    for target in targets {
      guard case .entry = target else {
        throw Refusal(
          status: 404,
          reason: "\(name(of: target)): no feed lists this file any more, so it cannot be fetched")
      }
      outcome.files.append(name(of: target))
    }
    for member in members {
      let numbers = targets.compactMap { target -> Int? in
        guard case .entry(let owner, let entry) = target, owner.feed === member.feed else {
          return nil
        }
        return entry.number
      }
      guard !numbers.isEmpty else { continue }
      guard member.feed.pin(isPinned, numbers) else {
        throw Refusal(
          status: 507,
          reason:
            "the pin could not be saved to the disk, and may be lost; free some space, and pin again"
        )
      }
    }
    return outcome
  }

  /// Clears `targets`, except pinned entries.
  ///
  /// - Parameter isAll: whether no file was named. Then all files are cleared, and also documents.
  func clear(_ targets: [Target], isAll: Bool) -> CacheOutcome {
    var outcome = CacheOutcome()
    for target in isAll ? everything : targets {
      if case .entry(_, let entry) = target, entry.isPinned {
        outcome.pinned.append(name(of: target))
        continue
      }
      outcome.files.append(name(of: target))
      outcome.freed += clear(target)
    }
    if isAll { for member in members { outcome.freed += member.feed.cache.removeDocuments() } }
    members.first?.feed.cache.recount()
    return outcome
  }

  private var everything: [Target] {
    members.flatMap { member -> [Target] in
      let kept = Set(member.feed.cache.versions().compactMap(\.key?.entry))
      let listed = member.catalog.listed.filter { kept.contains($0.key) }
      let orphans = Dictionary(grouping: orphans(of: member).map(\.name)) {
        Self.orphanName(of: $0)
      }
      return listed.map { .entry(member, $0) }
        + orphans.values.map { .orphan(member, $0.sorted()) }
    }
  }

  /// Clears `target`. Returns how many bytes this frees on the disk.
  private func clear(_ target: Target) -> Int {
    switch target {
    case .entry(let member, let entry):
      return member.feed.clear(entry.number)
    case .orphan(let member, let names):
      return names.reduce(0) { $0 + member.feed.remove($1) }
    }
  }

  /// Evicts as `rule` says. A rehearsal evicts nothing, and only names the files.
  func prune(by rule: PruneRule) -> CacheOutcome {
    var outcome = CacheOutcome()
    var gone: [String: Set<String>] = [:]
    for member in members {
      for version in member.feed.cache.versions() {
        guard isPruned(version, of: member, by: rule) else { continue }
        let entry = member.catalog.listed.first { $0.key == version.key?.entry }
        let name = member.prefix + (entry?.name ?? Self.orphanName(of: version.name))
        if !outcome.files.contains(name) { outcome.files.append(name) }
        gone[member.feed.cache.name, default: []].insert(version.name)
        outcome.freed +=
          rule.isRehearsal ? version.stored : member.feed.remove(version.name)
        if !rule.isRehearsal, let entry { member.feed.forgot(entry) }
      }
    }
    pruneOld(isRehearsal: rule.isRehearsal, &outcome)
    if let bytes = rule.bytes { makeRoom(to: bytes, besides: gone, rule.isRehearsal, &outcome) }
    if !rule.isRehearsal { members.first?.feed.cache.recount() }
    return outcome
  }

  private func isPruned(
    _ version: CachedVersion, of member: Member, by rule: PruneRule
  ) -> Bool {
    guard !member.feed.cache.isOpen(version.name) else { return false }
    let entry = member.catalog.listed.first { $0.key == version.key?.entry }
    guard let entry else { return true }
    if let present = member.feed.name(of: entry), present != version.name { return true }
    guard let age = rule.unusedFor, !member.feed.isWanted(entry) else { return false }
    return member.feed.wall.seconds - version.used > age
  }

  /// Evicts down to `bytes`, in the order in which a full cache evicts. The versions in `gone` are
  /// not counted, because they are removed already, or would be if this was no rehearsal.
  private func makeRoom(
    to bytes: Int, besides gone: [String: Set<String>], _ isRehearsal: Bool,
    _ outcome: inout CacheOutcome
  ) {
    let limit = CacheLimit(at: directory, bytes: bytes)
    let names = Locked<[String]>([])
    for member in members {
      limit.join(member.feed.cache) {
        member.catalog.listed.map(\.key)
      } evicted: { key in
        guard let entry = member.catalog.entries.first(where: { $0.key == key }) else { return }
        names.withLock { $0.append(member.prefix + entry.name) }
        if !isRehearsal { member.feed.forgot(entry) }
      }
    }
    let (freed, stay) = limit.prune(to: bytes, isRehearsal: isRehearsal, besides: gone)
    outcome.freed += freed
    outcome.stay = stay
    for name in names.withLock({ $0 }) where !outcome.files.contains(name) {
      outcome.files.append(name)
    }
  }
}
