import Blocks
import Catalog
import FeedReading
import Streaming
import TestSupport

@testable import FeedMount
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
    refresh()
    settle(&random)
    for viewer in viewers where viewer.isWaiting && complaint == nil {
      complain("entry \(viewer.serial) is not read on with")
    }
    // The longest Retry-After, and the longest max-age.
    mount?.time.advance(by: .seconds(40))
    for _ in 0..<2 {
      guard let mount, complaint == nil else { return }
      let entries = Array(mount.live.catalog.listed)
      guard !entries.isEmpty else { return }
      readAll(of: entries[random.below(entries.count)].number, &random)
    }
  }

  /// Reads the whole entry; opens it again if the origin serves another version by then.
  private func readAll(of number: Int, _ random: inout SeededRandom) {
    var last = "nothing"
    for _ in 0..<6 {
      guard let mount, complaint == nil, let entry = mount.live.entry(number: number),
        !entry.isRemoved, let viewer = open(entry)
      else { return }
      settle(&random)
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
      last = error.map { "\($0)" } ?? "version \(body?.version ?? -1)"
      close(viewer)
      settle(&random)
      let current = web.origin.body(viewer.resource.number)
      guard error == nil, let body, body.isSame(as: current) else { continue }
      // All bytes have come, and so were compared: later readers get the right ones.
      if web.wrong.remove(viewer.serial) == nil { return }
    }
    guard complaint == nil else { return }
    complain("in fair weather entry \(number) shows \(last)")
  }

  /// Runs until nothing is under way any more and nothing waits.
  func settle(_ random: inout SeededRandom) {
    var turns = 0
    while let mount, complaint == nil, turns < 600 {
      turns += 1
      for _ in 0..<8 { web.step(&random) }
      work()
      if turns % 4 == 0 { check() }
      if web.isIdle && mount.isIdle && !viewers.contains(where: \.isWaiting) { return }
      if web.isIdle { mount.time.advance(by: .milliseconds(250)) }
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
    mount?.time.advance(by: .seconds(5))
    settle(&random)
    guard let mount else { return }
    // The deadline of a paused wait fires once more, and so do retries after disk errors.
    mount.time.advance(by: .seconds(4 * 3600))
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
        case let holding = mount.live.holding(of: entry), holding.isSound,
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
