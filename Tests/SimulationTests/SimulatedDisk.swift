import SystemPackage
import TestSupport

@testable import Storage

/// A disk of one folder of files, in memory. Its page cache survives a kill. Flushed data survives
/// a power cut, and so does any data that the kernel happened to write back.
///
/// Names are journalled: a flush of any file makes all names durable, and a cut restores the names
/// of some instant since the last flush. One thread alone runs a simulation.
final class SimulatedDisk: @unchecked Sendable {
  enum Fault: CaseIterable {
    case writes, flushes, reads, full
  }

  /// The failure of one call that changes the disk.
  struct Failure: Sendable {
    /// The number of the call, from 1 on.
    let call: Int
    let errno: Errno
    /// Whether all later calls fail, too.
    let stays: Bool
  }

  var faults: Set<Fault> = []
  /// The failure that is to come; its calls count from the assignment.
  var failure: Failure? {
    didSet { calls = 0 }
  }
  /// True once a call has failed because of `failure`.
  private(set) var hasFailed = false
  /// The number of calls that tried to change the disk since the last assignment of `failure`.
  private var calls = 0
  var random: SeededRandom
  private(set) var names: [String: SimulatedNode] = [:]
  private var lasting: [String: SimulatedNode] = [:]
  private var unjournalled: [[String: SimulatedNode]] = []
  /// The number of changes that still reach the disk before the process is killed; nil: all.
  private var changesLeft: Int?
  private var clock = 0

  init(seed: UInt64) {
    random = SeededRandom(seed: seed)
  }

  /// Lets only `count` more changes through: the process is about to be killed.
  func stop(after count: Int) {
    changesLeft = count
  }

  /// True when no change reaches the disk any more: the process is dead, but its code still runs.
  var isStopped: Bool { changesLeft == 0 }

  /// Accepts changes again, from a new process, which starts with the contents of the page cache.
  func wasKilled() {
    changesLeft = nil
  }

  /// Cuts the power, and restores it.
  func cut() {
    let moment = random.below(unjournalled.count + 1)
    if moment > 0 { lasting = unjournalled[moment - 1] }
    names = lasting
    unjournalled = []
    for name in names.keys.sorted() { names[name]?.cut { random.chance(50) } }
    changesLeft = nil
  }

  /// Returns this disk for a mount, with its snapshots and its cache in folders of their own.
  func disk(flushingBy time: ManualTime) -> Disk {
    Disk(timer: { delay, body in time.call(after: delay, body) }) {
      [self] path, _ throws(StorageError) in
      try Folder(SimulatedFile(self, in: path.starts(with: "/state") ? "state/" : ""), at: path)
    }
  }

  // MARK: For its files

  /// Counts a change; true if it still reaches the disk.
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

  /// Counts a call that changes the disk. Throws if it is to fail.
  func count() throws(Errno) {
    guard !isStopped else { return }
    calls += 1
    guard let failure, failure.stays ? calls >= failure.call : calls == failure.call else { return }
    hasFailed = true
    throw failure.errno
  }
}
