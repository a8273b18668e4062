import Catalog
import FeedReading
import Host
import TestSupport

@testable import FeedMount
@testable import Storage

/// The processes of a life: each begins with the disk that the last one has left.
extension Simulation {
  /// Kills the process after a few more changes of the disk.
  func kill(_ random: inout SeededRandom) {
    noteKept()
    disk.stop(after: random.below(30))
    for _ in 0..<5 { mount?.step(&random) }
    if random.chance(30) { evict(&random) }
    mount?.advance(by: .milliseconds(1200))
    mount?.work()
    vanish()
    disk.wasKilled()
    beginAgain()
  }

  func cut() {
    noteKept()
    oracle.powerFails()
    vanish()
    disk.cut()
    beginAgain()
  }

  /// Drops the process: nothing that it does from now on reaches the disk.
  func vanish() {
    disk.stop(after: 0)
    wasUnclean = true
    viewers = []
    leaveProcess()
    oracle.processIsGone()
  }

  private func beginAgain() {
    begin()
    expectKept()
  }

  private func leaveProcess() {
    mount?.end()
    started += mount?.time.now ?? .zero
    viewers = []
    sidecars = []
    mount = nil
  }

  func restart() {
    noteKept()
    let open = mount?.live.openVersions.compactMap { Address($0.origin.url)?.serial } ?? []
    let ending = viewers
    leaveProcess()
    for viewer in ending where viewer.isWaiting { complain("a read outlives the mount") }
    oracle.processHasEnded(flushing: open)
    beginAgain()
  }

  func begin() {
    do {
      mount = try process()
    } catch {
      // A disk that cannot be read makes no mount; the user mends it.
      disk.faults = []
      do { mount = try process() } catch { return complain("no process can begin: \(error)") }
    }
    guard let catalog = mount?.live.catalog else { return }
    for name in oracle.names.keys where !catalog.entries.contains(where: { $0.name == name }) {
      complain("\(name) was seen, and is not known any more")
    }
    for entry in catalog.entries {
      guard let serial = Address(entry.media.url)?.serial, oracle.pinned.contains(serial) else {
        continue
      }
      if !entry.isPinned { complain("\(entry.name) was pinned, and is not any more") }
    }
  }

  private func process() throws(CommandError) -> SimulatedMount {
    let started = started
    return try SimulatedMount(
      on: disk, web,
      wall: { [unowned self] in Int(($0 + started).components.seconds) + leap }, seed: seed)
  }
}
