import Blocks
import Catalog
import FeedReading
import SystemPackage
import TestSupport
import Testing

@testable import FeedMount
@testable import HTTP

/// Lives of a mount whose origin tells no length: each copy is whole or an error, in each way of reading.
///
/// `FEEDFS_SEED=n` repeats one life.
@Suite(.timeLimit(.minutes(10)))
struct GrowingLifeTests {
  private static let seeds = Scale.only.map { [$0] } ?? Scale.trials(200, of: 10_000)

  @Test func noCopyEndsEarlyInSilence() async throws {
    let (complaints, whole) = try await onOwnThread {
      var (complaints, whole) = ([String](), 0)
      for seed in Self.seeds where complaints.count < 3 {
        let life = GrowingLife(seed: UInt64(seed))
        if let complaint = life.run() { complaints.append("FEEDFS_SEED=\(seed): \(complaint)") }
        whole += life.whole
      }
      return (complaints, whole)
    }
    #expect(complaints.isEmpty)
    #expect(whole > Self.seeds.count, "few copies come to their end")
  }
}

/// One such life.
///
/// One thread alone runs it.
private final class GrowingLife {
  private let simulation: Simulation
  private var random: SeededRandom
  private var copies: [GrowingCopy] = []
  /// The number of copies that were whole.
  private(set) var whole = 0

  init(seed: UInt64) {
    simulation = Simulation(seed: seed)
    random = SeededRandom(seed: seed)
    simulation.web.origin.framing = random.chance(70) ? .chunks : .close
  }

  /// Returns the first broken promise, if any.
  func run() -> String? {
    defer { simulation.vanish() }
    simulation.begin()
    simulation.mount?.bringDocuments(&random)
    for _ in 0..<80 where simulation.complaint == nil { step() }
    simulation.endFaults()
    simulation.turn(.online)
    finish()
    simulation.mount?.advance(by: .seconds(30))
    // The first of them may find that the origin has another version by now.
    for way in GrowingCopy.Way.allCases { begin(way) }
    let first = copies
    finish()
    for copy in first { begin(copy.way, of: copy.name, copy.resource) }
    let last = copies
    finish()
    // The kernel may have dropped the file for want of memory, and then it does not take the length.
    for copy in last where copy.error != nil && copy.way != .byPages {
      simulation.complain("in fair weather \(copy.way) ends with \(String(describing: copy.error))")
    }
    return simulation.complaint
  }

  private func step() {
    switch random.below(40) {
    case 0..<6 where copies.count < 6: begin(GrowingCopy.Way.allCases[random.below(3)])
    case 6..<20: proceed()
    case 20..<32: for _ in 0...random.below(6) { simulation.mount?.step(&random) }
    case 32..<35: simulation.mount?.work()
    case 35: simulation.mount?.advance(by: .milliseconds(random.below(4000)))
    case 36:
      let faults: [SimulatedOrigin.Fault] = [.silence, .unanswered, .breaks, .shortBody]
      simulation.web.origin.fault = simulation.pick(faults, &random)
    case 37: simulation.web.origin.fault = nil
    case 38: simulation.pick(copies, &random)?.interrupt()
    case 39 where random.chance(30):
      let resource = simulation.pick(simulation.feed.items, &random)?.resource ?? 0
      simulation.web.origin.versions[resource] = random.below(3)
    default: simulation.look(&random)
    }
    simulation.mount?.around.executor.run()
    leaveOver()
  }

  private func begin(_ way: GrowingCopy.Way) {
    guard let mount = simulation.mount,
      let entry = simulation.pick(Array(mount.live.catalog.listed), &random),
      let place = Address(entry.media.url), !place.isStream
    else { return }
    begin(way, of: entry.name, Resource.all[place.resource])
  }

  private func begin(_ way: GrowingCopy.Way, of name: String, _ resource: Resource) {
    let copy = GrowingCopy(way, of: name, resource, in: simulation)
    copies.append(copy)
    copy.open()
  }

  private func proceed() {
    let ready = copies.filter { !$0.isWaiting }
    simulation.pick(ready, &random)?.read(1 + random.below(random.chance(50) ? 60_000 : 5000))
  }

  private func leaveOver() {
    whole += copies.count { $0.isOver && $0.error == nil }
    copies.removeAll(where: \.isOver)
  }

  /// Runs until each copy has come to its end.
  private func finish() {
    for _ in 0..<6000 where simulation.complaint == nil {
      guard let mount = simulation.mount, !copies.isEmpty else { return }
      for copy in copies { copy.read(100_000) }
      mount.step(&random)
      mount.work()
      leaveOver()
      if simulation.web.isIdle { mount.advance(by: .milliseconds(250)) }
    }
    if simulation.complaint == nil, let copy = copies.first {
      simulation.complain("\(copy.way) of \(copy.name) never ends")
    }
  }
}
