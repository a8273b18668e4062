import Blocks
import Catalog
import FeedReading
import Locks
import TestSupport

@testable import FeedMount
@testable import Filling
@testable import HTTP
@testable import Storage

/// The checks after each step.
extension Simulation {
  func check() {
    guard let mount, complaint == nil else { return }
    checkNames(mount)
    checkReplaced(mount)
    checkKernel(mount)
    checkSidecars(mount)
    let now = mount.time.now
    for viewer in viewers {
      guard let pending = viewer.pending else { continue }
      if now - pending.start > .seconds(61), !mount.hasPaused {
        complain("\(pending.range) of \(viewer.serial) waits for ever")
      }
    }
    for version in mount.live.openVersions.sorted(by: { $0.inode < $1.inode }) {
      check(version, in: mount, at: now)
    }
    noteKept()
    let most = 12 * oracle.causes + 6 * web.excuses + 50
    if web.requests > most { complain("\(web.requests) requests for \(oracle.causes) causes") }
    if mount.time.armed > 200 { complain("\(mount.time.armed) calls are armed") }
  }

  /// Checks that no name changes its entry.
  private func checkNames(_ mount: SimulatedMount) {
    for entry in mount.live.catalog.listed {
      guard let serial = Address(entry.media.url)?.serial else { continue }
      if let before = oracle.names[entry.name], before != serial {
        complain("\(entry.name) was entry \(before) and is \(serial)")
      }
      oracle.names[entry.name] = serial
    }
  }

  /// Notes the versions that the mount has taken for stale: their entries have another inode.
  private func checkReplaced(_ mount: SimulatedMount) {
    for entry in mount.live.catalog.entries {
      guard let serial = Address(entry.media.url)?.serial else { continue }
      let before = oracle.versions[entry.number]
      if let before, before.inode != entry.inode, let shown = before.representation {
        oracle.replaced[serial, default: []].insert(shown)
        oracle.forget(serial: serial)
      }
      let open = mount.live.version(of: entry.inode)?.filler.representation
      let known = open ?? entry.known?.representation
      let last = before?.inode == entry.inode ? before?.representation : nil
      oracle.versions[entry.number] = (entry.inode, known ?? last)
    }
    for (serial, representation) in web.takeProved() {
      oracle.replaced[serial]?.remove(representation)
    }
  }

  /// Checks that each wait has something under way and a call armed for its deadline.
  private func check(_ version: EntryVersion, in mount: SimulatedMount, at now: Duration) {
    let fill = version.filler.snapshot
    for (_, wait) in fill.waiting.sorted(by: { $0.key < $1.key }) {
      if !fill.isLookedAfter(wait, at: now) {
        complain("a wait for \(wait.bytes.map { "\($0)" } ?? "the length") is forgotten")
      }
    }
    if let deadline = fill.waiting.values.map(\.deadline).min(),
      mount.time.nextCall.map({ $0 > deadline }) ?? true
    {
      complain("nobody wakes for the deadline at \(deadline)")
    }
    // A fetch of a stream looks for its playlist first.
    guard let place = Address(version.origin.url), !place.isStream else { return }
    let serial = place.serial
    let needed = mount.live.openVersions.filter { Address($0.origin.url)?.serial == serial }
      .reduce(0) { $0 + $1.filler.snapshot.fetches.count }
    if web.fetches(ofSerial: serial) < needed { complain("a fetch of \(serial) is nowhere") }
  }

  // MARK: Cached blocks

  func noteKept() {
    guard let mount else { return }
    for serial in web.wrong { oracle.forget(serial: serial) }
    for version in mount.live.openVersions.sorted(by: { $0.inode < $1.inode }) {
      guard let serial = Address(version.origin.url)?.serial, let file = version.file,
        !web.wrong.contains(serial),
        !version.filler.snapshot.isStale, file.representation.validator != .none
      else { continue }
      let state = file.state.withLock { $0 }
      var sure = state.cachedBlocks
      for run in state.unverified.runs(in: file.layout.all) { sure.remove(run) }
      // A kill costs the blocks on their way to the disk. No reader has had them yet.
      for run in state.pending.runs(in: file.layout.all) { sure.remove(run) }
      var flushed = sure
      for run in state.unflushed.blocks.runs(in: file.layout.all) { flushed.remove(run) }
      oracle.keep(
        serial, file.representation, cachedBlocks: state.cachedBlocks, sure: sure, flushed: flushed)
    }
  }

  func noteEviction(of key: String?) {
    guard let key, let mount,
      let entry = mount.live.catalog.entries.first(where: { $0.key == key }),
      let serial = Address(entry.media.url)?.serial
    else { return oracle.mayForget = true }
    oracle.forget(serial: serial)
  }

  /// Checks after a restart that the cache still has the blocks that it had.
  func expectKept() {
    guard let mount, !oracle.mayForget else { return }
    for entry in mount.live.catalog.entries {
      guard let serial = Address(entry.media.url)?.serial, !web.wrong.contains(serial),
        let kept = oracle.kept[serial]
      else {
        continue
      }
      let holding = mount.cache.holding(EntryKey(entry: entry.key), kept.representation)
      let wanted = kept.blocks.bytes(in: BlockLayout(length: kept.representation.length))
      if holding.bytes < wanted {
        complain("\(holding.bytes) of \(wanted) bytes of \(serial) are left after the restart")
      }
    }
  }

  /// Complains about a fetch of cached blocks; its first 4 KiB, before the place where an answer
  /// ended, may be cached.
  func noteRequest(_ request: RangeRequest, isCheck: Bool) {
    tell("    \(isCheck ? "check" : "GET") \(request.range.field) \(request.url)")
    // Tasks of a stream that sleep find a closed client.
    let isHeard = web.isOpen || Address(request.url)?.isStream != true
    if !isCheck, isHeard, let mount, mount.mode != .online {
      complain("it is asked in spite of \(mount.mode)")
    }
    guard !isCheck, !oracle.mayForget, let place = Address(request.url), !place.isStream,
      case let serial = place.serial, !web.wrong.contains(serial), let kept = oracle.kept[serial],
      request.expected == kept.representation,
      case .bytes(let bytes) = request.range
    else { return }
    let layout = BlockLayout(length: kept.representation.length)
    let fresh = min(bytes.lowerBound + 4096, bytes.upperBound)..<bytes.upperBound
    for block in layout.blocks(touching: fresh) where kept.blocks.contains(block) {
      return complain("block \(block.value) of \(serial) is fetched again")
    }
  }

  /// Checks that a name never shows a version that the mount knows to be stale.
  func noteOpen(of entry: CatalogEntry, _ version: EntryVersion, _ place: Address) {
    tell("    \(entry.name) is entry \(place.serial), resource \(place.resource)")
    // The second of two opens in one step may follow an answer that proved the version again.
    if let mount { checkReplaced(mount) }
    guard let shown = version.filler.representation, shown.validator != .none,
      oracle.replaced[place.serial]?.contains(shown) ?? false
    else { return }
    // No single answer proves the version of a stream, which may have come back.
    if place.isStream, shown == web.origin.body(place.resource).representation { return }
    complain("\(entry.name) shows \(shown), which was replaced")
  }
}
