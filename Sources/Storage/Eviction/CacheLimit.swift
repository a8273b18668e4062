import Dispatch
import NIOConcurrencyHelpers
package import SystemPackage

/// The limit of the cache for all feeds together, and the eviction that keeps to it.
///
/// The directory is counted before the first write, and again whenever bytes must be evicted: other
/// mounts write into it as well, each within its own feeds, and each evicts there. Feeds that are
/// not mounted lose bytes too.
///
/// For any thread; evictions run on a queue of their own. The locks are leaves except `counting`,
/// which is held while the disk is looked at.
package final class CacheLimit: Sendable {
  /// A mounted feed, and its answers.
  private struct Member: Sendable {
    let part: any CachePart
    let listed: @Sendable () -> [String]
    let evicted: @Sendable (String) -> Void
  }

  private struct State {
    var usage: CacheUsage
    var isLooking = false
    /// An eviction has freed nothing: no new try before this time.
    var notBefore: ContinuousClock.Instant?
  }

  /// Bytes to evict if the disk is full; the next look may evict as many again.
  private static let relief = 32 << 20

  private let root: FilePath
  private let ends: KeptEnds
  let queue = DispatchQueue(label: "feedfs.evict", qos: .utility)
  private let counting = NIOLock()
  private let state: NIOLockedValueBox<State>
  private let members = NIOLockedValueBox<[String: Member]>([:])

  /// - Parameters:
  ///   - root: the root of the cache.
  ///   - bytes: the limit for all files below `root`.
  package convenience init(at root: FilePath, bytes: Int) {
    self.init(at: root, bytes: bytes, ends: KeptEnds())
  }

  init(at root: FilePath, bytes: Int, ends: KeptEnds) {
    self.root = root
    self.ends = ends
    state = NIOLockedValueBox(State(usage: CacheUsage(limit: bytes)))
  }

  /// Adds `part` to the limit. Files of `listed` entries keep their ends at an eviction, others go
  /// whole; `evicted` is called with the id of each entry that has lost bytes.
  func add(
    _ part: any CachePart, listed: @escaping @Sendable () -> [String],
    evicted: @escaping @Sendable (String) -> Void
  ) {
    let member = Member(part: part, listed: listed, evicted: evicted)
    members.withLockedValue { $0[part.name] = member }
  }

  func leave(_ part: any CachePart) {
    members.withLockedValue { $0[part.name] = nil }
  }

  /// The bytes that all feeds together may take up, and those that they do, if counted.
  package var usage: (limit: Int, used: Int?) {
    state.withLockedValue { ($0.usage.limit, $0.usage.isCounted ? $0.usage.used : nil) }
  }

  /// Counts the cache again, since the user has cleared bytes. Blocks on the disk.
  package func recount() {
    if state.withLockedValue({ $0.usage.isCounted }) { count() }
  }

  /// Whether `bytes` more may be written; if so, counts them. Call it before each write; it blocks
  /// on the disk the first time.
  func hasRoom(for bytes: Int) -> Bool {
    if !state.withLockedValue({ $0.usage.isCounted }) { count() }
    let (isGranted, mustLook) = state.withLockedValue { state in
      let isGranted = state.usage.grant(bytes)
      let isDue = state.usage.isTight && state.notBefore.map { $0 <= .now } ?? true
      guard isDue || state.usage.isStale, !state.isLooking else { return (isGranted, false) }
      state.isLooking = true
      return (isGranted, true)
    }
    if mustLook { queue.async { self.look() } }
    return isGranted
  }

  /// Starts an eviction, whatever the limit: less of the disk is free than must stay free.
  func diskIsFull() {
    let mustLook = state.withLockedValue { state in
      guard !state.isLooking, state.notBefore.map({ $0 <= .now }) ?? true else { return false }
      state.isLooking = true
      return true
    }
    if mustLook { queue.async { self.look(for: Self.relief) } }
  }

  /// Evicts until all files together take up at most `bytes`, as far as possible; a rehearsal only
  /// calculates. Returns about how many bytes are gone. Blocks on the disk.
  package func prune(to bytes: Int, isRehearsal: Bool) -> Int {
    let folders = count()
    let excess = folders.bytes - bytes
    guard excess > 0 else { return 0 }
    guard isRehearsal else { return evict(excess, from: folders) }
    let steps = plan(folders, members.withLockedValue { $0 }).steps
    return min(excess, steps.reduce(0) { $0 + $1.gain })
  }

  // MARK: Private

  private struct Folders {
    /// The files, by the folder's name.
    var files: [String: [CachedFile]] = [:]
    /// The pins, by the folder's name.
    var pinned: [String: PinnedNames] = [:]

    var bytes: Int {
      files.values.joined().reduce(0) { $0 + $1.bytes }
    }
  }

  @discardableResult
  private func count() -> Folders {
    counting.lock()
    defer { counting.unlock() }
    var folders = Folders()
    if let root = try? File(directory: root) {
      for name in (try? root.names()) ?? [] where !name.hasPrefix(".") {
        guard let folder = try? File(directory: name, in: root) else { continue }
        folders.files[name] = CachedFile.all(in: folder)
        folders.pinned[name] = PinnedNames(in: folder)
      }
    }
    let bytes = folders.bytes
    state.withLockedValue { $0.usage.counted(bytes) }
    return folders
  }

  /// Evicts as many bytes as the limit demands, and at least `relief`.
  private func look(for relief: Int = 0) {
    defer { state.withLockedValue { $0.isLooking = false } }
    let folders = count()
    let usage = state.withLockedValue { $0.usage }
    guard usage.isTight || relief > 0 else { return }
    let hasFreed = evict(max(usage.excess, relief), from: folders) > 0
    if hasFreed { count() }
    state.withLockedValue { $0.notBefore = hasFreed ? nil : .now + .seconds(1) }
  }

  /// Returns about how many bytes are gone.
  private func evict(_ bytes: Int, from folders: Folders) -> Int {
    let members = members.withLockedValue { $0 }
    var freed = 0
    for step in plan(folders, members).steps where freed < bytes {
      freed += giveUp(step, bytes: bytes - freed, members[step.folder])
    }
    return freed
  }

  private func plan(_ folders: Folders, _ members: [String: Member]) -> EvictionPlan {
    EvictionPlan(
      folders.files, listed: members.mapValues { Set($0.part.prefixes(of: $0.listed())) },
      pinned: folders.pinned, ends: ends)
  }

  /// Returns about how many bytes are gone.
  private func giveUp(_ step: EvictionPlan.Step, bytes: Int, _ member: Member?) -> Int {
    guard let member else { return remove(step) ? step.gain : 0 }
    let (freed, entry) = member.part.giveUp(
      step.name, keeping: step.keepsEnds ? ends : nil, bytes: bytes)
    if let entry { member.evicted(entry) }
    return freed
  }

  /// Removes a version of a feed that is not mounted. A process that mounts the feed meanwhile is
  /// locked out for that time, and waits.
  private func remove(_ step: EvictionPlan.Step) -> Bool {
    guard let root = try? File(directory: root),
      let folder = try? File(directory: step.folder, in: root), (try? folder.lock()) == true
    else { return false }
    defer { folder.unlock() }
    for ending in EntryFiles.endings { try? folder.remove(step.name + ending) }
    return true
  }
}

/// One feed's part of the cache, as the limit sees it.
protocol CachePart: Sendable {
  /// The name of the feed's folder.
  var name: String { get }
  /// Returns the prefixes of the file names of `entries`.
  func prefixes(of entries: [String]) -> [String]
  /// Evicts `bytes` of the version called `name`, from its tail on, but not its `ends`; if `ends`
  /// is nil, all of it. Returns about how many bytes are gone, and the entry's id if it could be
  /// read. Blocks on the disk.
  func giveUp(_ name: String, keeping ends: KeptEnds?, bytes: Int) -> (freed: Int, entry: String?)
}
