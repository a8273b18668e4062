import SystemPackage
import TestSupport

@testable import Storage

/// A disk of one folder of files, in memory: its page cache survives a kill, and what was flushed a
/// power cut, together with whatever the kernel happened to write back.
///
/// The names are journalled: a flush of any file makes all of them last, and a cut leaves those of some
/// instant since. One thread alone runs a simulation.
final class SimulatedDisk: @unchecked Sendable {
  enum Fault: CaseIterable {
    case writes, flushes, reads, full
  }

  var faults: Set<Fault> = []
  var random: SeededRandom
  private(set) var names: [String: SimulatedNode] = [:]
  private var lasting: [String: SimulatedNode] = [:]
  private var unjournalled: [[String: SimulatedNode]] = []
  /// How many more changes reach it, before the process is killed; nil: all.
  private var changesLeft: Int?
  private var clock = 0

  init(seed: UInt64) {
    random = SeededRandom(seed: seed)
  }

  /// From now on only `count` changes are made: the process is about to be killed.
  func stop(after count: Int) {
    changesLeft = count
  }

  /// Whether the process is dead already, though it does not know.
  var isStopped: Bool { changesLeft == 0 }

  /// A new process begins with what the page cache has.
  func wasKilled() {
    changesLeft = nil
  }

  /// The power goes, and comes again.
  func cut() {
    let moment = random.below(unjournalled.count + 1)
    if moment > 0 { lasting = unjournalled[moment - 1] }
    names = lasting
    unjournalled = []
    for name in names.keys.sorted() { names[name]?.cut { random.chance(50) } }
    changesLeft = nil
  }

  // MARK: For its files

  /// Whether a change reaches it still.
  func isChanging() -> Bool {
    guard let left = changesLeft else { return true }
    changesLeft = max(0, left - 1)
    return left > 0
  }

  func tick() -> Int {
    clock += 1
    return clock
  }

  func setNames(_ change: (inout [String: SimulatedNode]) -> Void) {
    guard isChanging() else { return }
    change(&names)
    unjournalled.append(names)
  }

  func journal() {
    lasting = names
    unjournalled = []
  }

  func check(_ fault: Fault, _ errno: Errno) throws(Errno) {
    if faults.contains(fault) { throw errno }
  }
}
