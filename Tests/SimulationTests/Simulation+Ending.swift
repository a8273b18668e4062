import Blocks
import Catalog
import FeedReading
import Filling
import SystemPackage
import TestSupport

@testable import FeedMount
@testable import Fuse
@testable import Storage

/// The end of each life: the faults end, all viewers close, and complete files play offline.
extension Simulation {
  /// Ends the faults: waiting reads must continue on their own, and show what the origin serves.
  func clearUp() {
    tell("all is well")
    endFaults()
    turn(.online)
    var random = SeededRandom(seed: seed)
    web.origin.oldestToken = 0
    refresh(&random)
    settle(&random)
    for viewer in viewers where viewer.isWaiting && complaint == nil {
      complain("entry \(viewer.serial) is not read on with")
    }
    // The longest Retry-After, and the longest max-age.
    mount?.advance(by: .seconds(40))
    refresh(&random)
    settle(&random)
    checkRefreshed()
    let sent = pagesSent
    refresh(&random)
    settle(&random)
    if pagesSent > sent { complain("a page is read again though it has not changed") }
    mount?.advance(by: .seconds(1))
    settle(&random)
    checkSaved()
    // A sidecar that has failed is asked for again after a minute.
    mount?.advance(by: .seconds(61))
    openSidecar(&random, isFair: true)
    settle(&random)
    for isFirst in [true, false] {
      guard let mount, complaint == nil else { return }
      let entries = Array(mount.live.catalog.listed)
      guard !entries.isEmpty else { return }
      readAll(of: entries[random.below(entries.count)].number, &random, expiring: !isFirst)
    }
    readOnAtEnd(&random)
    missRefresh(&random)
    tellKernel(&random)
    saveAgain(&random)
    openSidecarsInVain(&random)
    web.origin.oldestToken = 0
  }

  /// Reads the whole entry; opens it again if the origin serves another version by then.
  ///
  /// - Parameter expiring: whether all addresses expire while it is read, and the feed has new ones.
  private func readAll(of number: Int, _ random: inout SeededRandom, expiring: Bool) {
    var last = "nothing"
    var expires = expiring
    for _ in 0..<6 {
      guard let mount, complaint == nil, let entry = mount.live.entry(number: number),
        !entry.isRemoved, let viewer = open(entry)
      else { return }
      settle(&random)
      // The feed can renew the addresses on its first page. An item that has got another identifier and
      // another address is another entry, and the earlier one keeps its address.
      let first = feed.items.prefix(SimulatedFeed.pageLength)
      if expires, first.contains(where: { $0.media.url == entry.media.url }) {
        moveAddresses(expiring: true)
      }
      expires = false
      while complaint == nil, viewer.error == nil, let body = viewer.body,
        viewer.position < body.bytes.count
      {
        let before = viewer.position
        read(128 << 10, by: viewer)
        settle(&random)
        if viewer.position == before && viewer.error == nil {
          complain("no byte of \(number) comes")
        }
      }
      let body = viewer.body
      let error = viewer.error
      if error == nil { checkSound(viewer) }
      last = error.map { "\($0)" } ?? "version \(body?.version ?? -1)"
      close(viewer)
      settle(&random)
      // A page in the place of a film that nobody has read speaks against its address for a while.
      if error != nil, mount.live.failures.refusal(of: entry.media.url) != nil {
        mount.advance(by: .seconds(Refusal.memory + 1))
        settle(&random)
      }
      let current = web.origin.body(viewer.resource.number)
      // A film that is whole is not looked for again: its origin has no single file to ask about.
      guard error == nil, let body, viewer.resource.isStream || body.isSame(as: current) else {
        continue
      }
      checkPlayed(viewer)
      let node = InodeSpace.whole.node(viewer.version.inode).number
      if mount.kernel.wrongPages.contains(node) {
        complain("the kernel keeps wrong bytes of \(entry.name)")
      }
      // All bytes have come, and so were compared: later readers get the right ones.
      if web.wrong.remove(viewer.serial) == nil { return }
    }
    guard complaint == nil else { return }
    complain("in fair weather entry \(number) shows \(last)")
  }

  /// Checks that the kernel may read a complete file alone, even while it is open.
  private func checkSound(_ viewer: Viewer) {
    guard let mount, mount.kernel.passesThrough, !wasUnclean,
      let file = viewer.version.file, file.isWhole,
      !viewer.version.filler.snapshot.isStale
    else { return }
    if !file.isDurable { complain("a complete file of \(viewer.serial) is not made sound") }
  }

  /// Checks that a file which was played to its end is the first to be evicted.
  private func checkPlayed(_ viewer: Viewer) {
    guard let mount, let file = viewer.version.file, viewer.wasFirst, !viewer.isScanner,
      mount.live.version(of: viewer.version.inode) == nil, let size = viewer.body?.bytes.count,
      size >= 256 << 10, let entry = mount.live.entry(inode: viewer.version.inode), !entry.isPinned
    else { return }
    let name = file.path.lastComponent?.string ?? ""
    if let node = disk.names[name], node.modified >= 0 {
      complain("\(entry.name) was played to its end, which its file does not tell")
    }
  }

  /// Runs until nothing is under way any more and nothing waits.
  func settle(_ random: inout SeededRandom) {
    var turns = 0
    while let mount, complaint == nil, turns < 600 {
      turns += 1
      for _ in 0..<8 { mount.step(&random) }
      mount.work()
      if turns % 4 == 0 { check() }
      if web.isIdle && mount.isIdle && !viewers.contains(where: \.isWaiting) { return }
      if web.isIdle { mount.advance(by: .milliseconds(250)) }
    }
    if complaint == nil { complain("it never comes to rest") }
  }

  /// Closes all viewers; then nothing may be fetched, and no version may stay open.
  func leave() {
    tell("everybody leaves")
    var random = SeededRandom(seed: seed &+ 1)
    for viewer in viewers { close(viewer) }
    settle(&random)
    if random.chance(10) { outlastBadDisk(&random) }
    finishPins(&random)
    if random.chance(30) { fetchTwice(&random) }
    let asked = web.requests
    mount?.advance(by: .seconds(5))
    settle(&random)
    guard let mount else { return }
    // The deadline of a paused wait fires once more, and so do retries after disk errors.
    mount.advance(by: .seconds(4 * 3600))
    if web.requests > asked { complain("something was asked for nobody") }
    for version in mount.live.openVersions {
      complain("entry \(version.number) is open for nobody")
    }
    if mount.time.armed > 0 { complain("\(mount.time.armed) calls are armed for nobody") }
  }

  /// Reads all complete files from beginning to end, without any network.
  func goOffline() {
    tell("offline")
    restart()
    web.origin.fault = .silence
    web.wrong = []
    let fetched = web.fetches
    guard let mount else { return }
    for entry in mount.live.catalog.listed {
      guard complaint == nil, let known = entry.known,
        case let holding = mount.live.holding(of: entry), holding.isDurable,
        holding.bytes == known.length, let viewer = open(entry)
      else { continue }
      while complaint == nil, let body = viewer.body, viewer.position < body.bytes.count {
        read(128 << 10, by: viewer)
        if viewer.isWaiting { return complain("\(entry.name) is whole, and waits") }
      }
      if viewer.body == nil { complain("\(entry.name) is whole, and its length not known") }
      close(viewer)
    }
    // Only freshness checks may be sent.
    if web.fetches > fetched { complain("something was fetched though it was there") }
  }
}
