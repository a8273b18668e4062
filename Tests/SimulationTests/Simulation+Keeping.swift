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

  /// On a disk that takes nothing for two hours what is pinned is fetched less and less often: its line may be
  /// metered.
  func outlastBadDisk(_ random: inout SeededRandom) {
    let fault = pick([SimulatedDisk.Fault.writes, .full], &random)
    tell("  \(fault.map { "\($0)" } ?? "") for two hours")
    disk.faults = fault.map { [$0] } ?? []
    oracle.mayForget = true
    pin(true, &random)
    let count = mount?.live.unfinishedPins.count ?? 0
    let before = web.fetches
    for _ in 0..<120 where complaint == nil && count > 0 {
      mount?.time.advance(by: .seconds(60))
      settle(&random)
    }
    // A few pieces at once, and again after each of six rests.
    let most = 20 * count
    if web.fetches - before > most {
      complain("\(web.fetches - before) fetches for \(count) pins that cannot be kept")
    }
    endFaults()
    // What is pinned once more is not left to its rest.
    guard let mount else { return }
    mount.pin(true, mount.live.unfinishedPins.map(\.number))
    for _ in 0..<5 where complaint == nil {
      mount.time.advance(by: .seconds(61))
      settle(&random)
    }
    if let entry = mount.live.unfinishedPins.first { complain("\(entry.name) rests still") }
  }

  /// Who waits for all of a file gets it, and once more after it was cleared.
  func fetchTwice(_ random: inout SeededRandom) {
    guard let mount else { return }
    let entries = mount.live.catalog.listed.filter { !$0.isPinned && !$0.media.isPage }
    guard let number = pick(Array(entries), &random)?.number else { return }
    for turn in 1...2 {
      tell("  entry \(number) is fetched")
      oracle.causes += 10
      for _ in 0..<20 where complaint == nil && !isStored(number) {
        mount.ask(for: number)
        mount.time.advance(by: .milliseconds(500))
        settle(&random)
      }
      guard complaint == nil else { return }
      if !isStored(number) { return complain("entry \(number) is not fetched, time \(turn)") }
      if let entry = mount.live.catalog.entry(number: number) { noteEviction(of: entry.key) }
      _ = mount.live.clear(number)
    }
  }

  private func isStored(_ number: Int) -> Bool {
    guard let mount, let entry = mount.live.catalog.entry(number: number) else { return false }
    return entry.known.map { mount.live.stored(of: entry) == $0.length } ?? false
  }

  /// What is pinned comes without anyone's doing, and then nothing is pinned any more.
  func finishPins(_ random: inout SeededRandom) {
    // After a disk that was bad for two hours the next try may be as far away again.
    for _ in 0..<40 where complaint == nil && mount?.live.unfinishedPins.isEmpty == false {
      mount?.time.advance(by: .seconds(301))
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
