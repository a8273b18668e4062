import Blocks
import Catalog
import FeedReading
import TestSupport

@testable import FeedMount
@testable import Storage

/// Eviction, clearing and pins.
extension Simulation {
  /// Evicts part of a file that is not pinned.
  func evict(_ random: inout SeededRandom) {
    guard let mount else { return }
    let pinned = Set(mount.live.catalog.entries.filter(\.isPinned).map(\.key))
    let names = mount.cache.versions().filter { !pinned.contains($0.key?.entry ?? "") }.map(\.name)
    guard let name = pick(names.sorted(), &random) else { return }
    let ends = random.chance(50) ? RetainedEnds(head: 64 << 10, tail: 64 << 10) : nil
    let bytes = (1 + random.below(8)) << 16
    let (freed, key) = mount.cache.giveUp(name, keeping: ends, bytes: bytes)
    guard freed > 0 || key != nil else { return }
    noteEviction(of: key)
    if let key { mount.live.evicted(key) }
  }

  /// Clears one entry, or all that are not pinned; their readers fetch again the bytes that they
  /// need.
  func clear(_ random: inout SeededRandom) {
    guard let mount else { return }
    let entries = mount.live.catalog.listed.filter { !$0.isPinned }
    let meant =
      random.chance(30) ? Array(entries) : pick(Array(entries), &random).map { [$0] } ?? []
    oracle.causes += 2 * mount.live.openVersions.count
    for entry in meant {
      tell("    \(entry.name)")
      noteEviction(of: entry.key)
      mount.clear([entry.number], isAll: false)
      let left = mount.cache.versions(of: entry.key).filter { !mount.cache.isOpen($0.name) }
      if !left.isEmpty && disk.faults.isEmpty { complain("\(entry.name) is cleared and there") }
    }
  }

  /// Pins or unpins an entry.
  func pin(_ isPinned: Bool, _ random: inout SeededRandom) {
    guard let mount else { return }
    let entries = mount.live.catalog.listed.filter { $0.isPinned != isPinned }
    guard let entry = pick(Array(entries), &random) else { return }
    tell("    \(entry.name)")
    // Each block of the entry may need its own request.
    oracle.causes += 10
    pin(isPinned, [entry.number])
  }

  /// Pins or unpins entries; once the command has said so, no restart takes that back.
  func pin(_ isPinned: Bool, _ numbers: [Int]) {
    guard let mount, !numbers.isEmpty else { return }
    let serials = numbers.compactMap { mount.live.entry(number: $0) }
      .compactMap { Address($0.media.url)?.serial }
    let isTaken = mount.pin(isPinned, numbers)
    guard !disk.isStopped else { return }
    if isPinned, isTaken {
      oracle.pinned.formUnion(serials)
    } else {
      oracle.pinned.subtract(serials)
    }
  }

  /// Checks that pins are fetched less and less often while a disk takes nothing for two hours: the
  /// connection may be metered.
  func outlastBadDisk(_ random: inout SeededRandom) {
    let fault = pick([SimulatedDisk.Fault.writes, .full], &random)
    tell("  \(fault.map { "\($0)" } ?? "") for two hours")
    disk.faults = fault.map { [$0] } ?? []
    oracle.mayForget = true
    pin(true, &random)
    let pins = mount?.live.unfinishedPins ?? []
    let count = pins.count
    let before = web.fetches
    for _ in 0..<120 where complaint == nil && count > 0 {
      mount?.advance(by: .seconds(60))
      settle(&random)
    }
    // A few pieces at once, and again after each of six backoffs. A stream, whose layout this disk does
    // not take either, is asked for the sizes of its segments each time.
    let streams = pins.count { Address($0.media.url)?.isStream ?? false }
    let most = 20 * count + 20 * SoundStream.segments * streams
    if web.fetches - before > most {
      complain("\(web.fetches - before) fetches for \(count) pins that cannot be kept")
    }
    endFaults()
    // Pinning again ends the backoff.
    guard let mount else { return }
    pin(true, mount.live.unfinishedPins.map(\.number))
    for _ in 0..<5 where complaint == nil {
      mount.advance(by: .seconds(61))
      settle(&random)
    }
    if let entry = mount.live.unfinishedPins.first { complain("\(entry.name) rests still") }
  }

  /// Checks that a command that waits for a whole file gets it, and again after the file was
  /// cleared.
  func fetchTwice(_ random: inout SeededRandom) {
    guard let mount else { return }
    let entries = mount.live.catalog.listed.filter {
      // An entry that has left the feed goes when it is cleared.
      !$0.isPinned && !$0.media.isPage && $0.presence != .kept
    }
    guard let number = pick(Array(entries), &random)?.number else { return }
    for turn in 1...2 {
      tell("  entry \(number) is fetched")
      oracle.causes += 10
      for _ in 0..<20 where complaint == nil && !isStored(number) {
        mount.ask(for: number)
        mount.advance(by: .milliseconds(500))
        settle(&random)
      }
      guard complaint == nil else { return }
      if !isStored(number) { return complain("entry \(number) is not fetched, time \(turn)") }
      if let entry = mount.live.catalog.entry(number: number) { noteEviction(of: entry.key) }
      mount.clear([number], isAll: false)
    }
  }

  private func isStored(_ number: Int) -> Bool {
    guard let mount, let entry = mount.live.catalog.entry(number: number) else { return false }
    return entry.known.map { mount.live.bytesOnDisk(of: entry) == $0.length } ?? false
  }

  /// Checks that pinned files are fetched on their own, then unpins all.
  func finishPins(_ random: inout SeededRandom) {
    // After two hours of disk failure, the next try may be two hours away.
    for _ in 0..<40 where complaint == nil && mount?.live.unfinishedPins.isEmpty == false {
      mount?.advance(by: .seconds(301))
      settle(&random)
    }
    guard let mount else { return }
    if let entry = mount.live.unfinishedPins.first {
      let stored = mount.live.bytesOnDisk(of: entry)
      complain("\(entry.name) is pinned, and \(stored) of \(entry.known?.length ?? -1) are kept")
    }
    pin(false, mount.live.catalog.entries.filter(\.isPinned).map(\.number))
    settle(&random)
  }
}
