import Catalog
import FeedReading
import Locks
import Storage
import SystemPackage
import World

/// Does what the user's `keep` says for one feed: has entries fetched, and deletes them after they
/// were played. `KeepPlan` decides which entries.
///
/// Safe from any thread. Decisions are made on `jobs`, one after the other, because they wait for
/// the disk.
final class Keeper: Sendable {
  private struct State {
    var rule: KeepRule?
    var memory: KeepPlan.Memory
    /// Entries of unknown length that have no duration either, or that have brought more bytes than
    /// the feed lets expect. `keep` treats them as live.
    var endless: Set<Int> = []
    /// Entries that their origin has refused within the last `refusalPause`.
    var resting: Set<Int> = []
    var isDue = false
  }

  /// The time for which an entry is not fetched after its origin has refused it.
  private static let refusalPause: Duration = .seconds(1800)

  private let live: LiveCatalog
  private let file: SavedValue<KeepPlan.Memory>
  private let jobs: any JobQueue
  private let saveMarks: @Sendable () -> Bool
  private let state: Locked<State>

  /// Reads the remembered state, and protects kept entries from eviction; blocks on the disk.
  ///
  /// - Parameters:
  ///   - rule: nil if the user keeps nothing.
  ///   - file: where the memory of the plan is saved.
  ///   - saveMarks: saves the marks of played entries; called on `jobs`. Returns false if the disk
  ///     does not take it.
  init(
    _ rule: KeepRule?, in live: LiveCatalog, memory file: SavedValue<KeepPlan.Memory>,
    jobs: any JobQueue, saveMarks: @escaping @Sendable () -> Bool
  ) {
    let read = file.read()
    state = Locked(State(rule: rule, memory: read ?? .init()))
    self.live = live
    self.file = file
    self.jobs = jobs
    self.saveMarks = saveMarks
    live.keep(plan)
    // Without a rule, the memory of an earlier rule is emptied. So a later rule deletes nothing
    // that the earlier rule fetched.
    if rule == nil, read != nil { decideSoon() }
  }

  /// The rule of the user; nil if nothing is kept.
  var rule: KeepRule? { state.withLock { $0.rule } }

  /// Follows another rule from now on.
  func follow(_ rule: KeepRule?) {
    state.withLock { $0.rule = rule }
    decideSoon()
  }

  /// Decides again, soon, because the catalog, a mark, a pin or an open file has changed.
  func review() {
    if rule != nil { decideSoon() }
  }

  /// Notes that the version with `inode` has no length yet.
  func grows(_ inode: UInt64) {
    guard rule != nil, let entry = live.entry(inode: inode), entry.duration == nil else { return }
    state.withLock { _ = $0.endless.insert(entry.number) }
    decideSoon()
  }

  /// Notes that `reached` bytes of the version with `inode` came, and that its end is not known
  /// yet. If they are too many for the length or duration that the feed states, the entry is not
  /// kept any more, unless it is pinned.
  ///
  /// - Returns: the limit in bytes, at the call that exceeds it; otherwise nil.
  func judgeGrowth(of inode: UInt64, reached: Int) -> Int? {
    guard rule != nil, let entry = live.entry(inode: inode), !entry.isPinned,
      live.isKept(entry.number)
    else { return nil }
    let most = KeepPlan.maxWithoutEnd(claimed: entry.claimedLength, duration: entry.duration)
    guard reached > most,
      state.withLock({ $0.endless.insert(entry.number).inserted })
    else { return nil }
    decideSoon()
    return most
  }

  /// Notes that the origin has refused an entry. Another request would be useless now.
  func refused(_ number: Int) {
    let isNew = state.withLock { state in
      state.rule != nil && state.resting.insert(number).inserted
    }
    guard isNew else { return }
    decideSoon()
    jobs.add(after: Self.refusalPause) { [weak self] in
      guard let self else { return }
      state.withLock { _ = $0.resting.remove(number) }
      decideSoon()
    }
  }

  /// Notes that the user clears an entry. `keep` does not fetch it again. Blocks.
  func clears(_ number: Int) {
    jobs.wait {
      let isNew = state.withLock { state in
        state.rule != nil && state.memory.cleared.insert(number).inserted
      }
      if isNew { decide() }
    }
  }

  /// Returns the file of the plan's memory in the state directory of a feed.
  static func file(in directory: FilePath, on disk: Disk) -> SavedValue<KeepPlan.Memory> {
    SavedValue(in: directory, name: "kept", as: .json(), on: disk)
  }

  // MARK: Private

  private func decideSoon() {
    let isNew = state.withLock { state in
      defer { state.isDue = true }
      return !state.isDue
    }
    if isNew { jobs.add { [self] in decide() } }
  }

  private var plan: KeepPlan {
    let (rule, memory, endless, resting) = state.withLock {
      ($0.rule, $0.memory, $0.endless, $0.resting)
    }
    return KeepPlan(rule, for: live.catalog, memory, endless: endless, resting: resting)
  }

  /// Makes a new plan and carries it out. Only called on `jobs`.
  private func decide() {
    state.withLock { $0.isDue = false }
    let plan = plan
    live.keep(plan)
    // The plan is saved before the bytes of its entries come. So the next process knows that these
    // entries are kept, even after a kill.
    save(plan.memory)
    // Nothing is deleted before the marks are on the disk. Without its mark, a deleted entry would
    // be fetched again after a kill.
    guard !plan.released.isEmpty, saveMarks() else { return }
    // An open entry is deleted by a later decision, after it was closed.
    let deleted = plan.released.filter(live.deleteUnlessOpen)
    guard !deleted.isEmpty else { return }
    var memory = plan.memory
    memory.fetched.subtract(deleted)
    save(memory)
  }

  private func save(_ memory: KeepPlan.Memory) {
    let isNews = state.withLock { state in
      defer { state.memory = memory }
      return state.memory != memory
    }
    if isNews { file.write(memory) }
  }
}
