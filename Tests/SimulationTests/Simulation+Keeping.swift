import Blocks
import Feeds
import TestSupport

@testable import FeedMount
@testable import Storage

/// What goes from the cache, and what stays.
extension Simulation {
  /// Some of a file goes that nobody has pinned.
  func evict(_ random: inout SeededRandom) {
    guard let mount else { return }
    let pinned = Set(mount.live.catalog.entries.filter(\.isPinned).map(\.key))
    let names = mount.cache.versions().filter { !pinned.contains($0.key?.entry ?? "") }.map(\.name)
    guard let name = pick(names.sorted(), &random) else { return }
    let ends = random.chance(50) ? KeptEnds(head: 64 << 10, tail: 64 << 10) : nil
    let bytes = (1 + random.below(8)) << 16
    let (freed, key) = mount.cache.giveUp(name, keeping: ends, bytes: bytes)
    guard freed > 0 || key != nil else { return }
    noteEviction(of: key)
    if let key { mount.live.evicted(key) }
  }

  /// The user takes an entry out, or all of them; whoever reads one asks again for what he needs.
  func clear(_ random: inout SeededRandom) {
    guard let mount else { return }
    let entries = mount.live.catalog.listed.filter { !$0.isPinned }
    let meant =
      random.chance(30) ? Array(entries) : pick(Array(entries), &random).map { [$0] } ?? []
    oracle.causes += 2 * mount.live.openVersions.count
    for entry in meant {
      tell("    \(entry.name)")
      noteEviction(of: entry.key)
      _ = mount.live.clear(entry.number)
      let left = mount.cache.versions(of: entry.key).filter { !mount.cache.isOpen($0.name) }
      if !left.isEmpty && disk.faults.isEmpty { complain("\(entry.name) is cleared and there") }
    }
  }

  /// The user wants all of an entry, or no longer.
  func pin(_ isPinned: Bool, _ random: inout SeededRandom) {
    guard let mount else { return }
    let entries = mount.live.catalog.listed.filter { $0.isPinned != isPinned }
    guard let entry = pick(Array(entries), &random) else { return }
    tell("    \(entry.name)")
    // Each of its blocks may be a request of its own.
    oracle.causes += 10
    mount.pin(isPinned, [entry.number])
  }

  /// On a disk that takes nothing for half an hour what is pinned is not fetched over and over: its line may
  /// be metered.
  func outlastBadDisk(_ random: inout SeededRandom) {
    guard let count = mount?.live.unfinishedPins.count, count > 0 else { return }
    let fault = pick([SimulatedDisk.Fault.writes, .full], &random)
    tell("  \(fault.map { "\($0)" } ?? "") for half an hour")
    disk.faults = fault.map { [$0] } ?? []
    oracle.mayForget = true
    let before = web.fetches
    for _ in 0..<30 where complaint == nil {
      mount?.time.advance(by: .seconds(60))
      settle(&random)
    }
    // Each of a few pieces, and again after each rest.
    let most = 20 * count
    if web.fetches - before > most {
      complain("\(web.fetches - before) fetches for \(count) pins that cannot be kept")
    }
    endFaults()
  }

  /// What is pinned comes without anyone's doing, and then nothing is pinned any more.
  func finishPins(_ random: inout SeededRandom) {
    for _ in 0..<20 where complaint == nil && mount?.live.unfinishedPins.isEmpty == false {
      mount?.time.advance(by: .seconds(61))
      settle(&random)
    }
    guard let mount else { return }
    if let entry = mount.live.unfinishedPins.first {
      let stored = mount.live.stored(of: entry)
      complain("\(entry.name) is pinned, and \(stored) of \(entry.known?.length ?? -1) are kept")
    }
    mount.pin(false, mount.live.catalog.entries.filter(\.isPinned).map(\.number))
    settle(&random)
  }
}
