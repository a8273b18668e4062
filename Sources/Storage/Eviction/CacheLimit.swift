import Dispatch
import NIOConcurrencyHelpers
package import SystemPackage

/// How much all feeds together may keep, and what goes for what is to come.
///
/// The directory is counted when room is asked for first, and again whenever something has to go: other
/// mounts write into it as well, each within its own feeds, and each makes room there. What is in feeds
/// that nobody has mounted goes too.
///
/// For any thread; what goes is taken away on a queue of its own. Its locks are leaves but for `counting`,
/// which is held while the disk is looked at.
package final class CacheLimit: Sendable {
  /// A feed that is mounted, and what it has to say.
  private struct Member: Sendable {
    let part: any CachePart
    let listed: @Sendable () -> [String]
    let evicted: @Sendable (String) -> Void
  }

  private struct State {
    var usage: CacheUsage
    var isLooking = false
    /// Nothing could be given up: it is not tried again before.
    var notBefore: ContinuousClock.Instant?
  }

  /// How much goes where the disk is full, in bytes: as much again can be asked for a second later.
  private static let relief = 32 << 20

  private let root: FilePath
  private let ends: KeptEnds
  let queue = DispatchQueue(label: "feedfs.evict", qos: .utility)
  private let counting = NIOLock()
  private let state: NIOLockedValueBox<State>
  private let members = NIOLockedValueBox<[String: Member]>([:])

  /// - Parameters:
  ///   - root: of the cache.
  ///   - bytes: for all files below it.
  package convenience init(at root: FilePath, bytes: Int) {
    self.init(at: root, bytes: bytes, ends: KeptEnds())
  }

  init(at root: FilePath, bytes: Int, ends: KeptEnds) {
    self.root = root
    self.ends = ends
    state = NIOLockedValueBox(State(usage: CacheUsage(limit: bytes)))
  }

  /// From now on the files of `part` count as those of entries that are `listed`, or go as a whole;
  /// `evicted` is told of which entry something has gone.
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

  /// Bytes that all feeds together may keep, and that they do, if they were counted.
  package var usage: (limit: Int, used: Int?) {
    state.withLockedValue { ($0.usage.limit, $0.usage.isCounted ? $0.usage.used : nil) }
  }

  /// Something was taken out: it is counted anew. Blocks on the disk.
  package func recount() {
    if state.withLockedValue({ $0.usage.isCounted }) { count() }
  }

  /// Whether `bytes` more may be written; a yes is counted. To be asked before a write; blocks on the
  /// disk the first time.
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

  /// The disk has less free than has to stay so: something is to go, whatever the limit says.
  func diskIsFull() {
    let mustLook = state.withLockedValue { state in
      guard !state.isLooking, state.notBefore.map({ $0 <= .now }) ?? true else { return false }
      state.isLooking = true
      return true
    }
    if mustLook { queue.async { self.look(for: Self.relief) } }
  }

  /// Takes away what goes first until all files together take up `bytes` at most, as far as that can be;
  /// in a rehearsal it only tells. Returns how many bytes have gone, about. Blocks on the disk.
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
    /// What lies where, by the folder's name.
    var files: [String: [CachedFile]] = [:]
    /// And what is never to go.
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

  /// Takes away what the limit demands, and at least `relief` bytes.
  private func look(for relief: Int = 0) {
    defer { state.withLockedValue { $0.isLooking = false } }
    let folders = count()
    let usage = state.withLockedValue { $0.usage }
    guard usage.isTight || relief > 0 else { return }
    let hasFreed = evict(max(usage.excess, relief), from: folders) > 0
    if hasFreed { count() }
    state.withLockedValue { $0.notBefore = hasFreed ? nil : .now + .seconds(1) }
  }

  /// Returns how many bytes have gone, about.
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

  /// Returns how many bytes have gone, about.
  private func giveUp(_ step: EvictionPlan.Step, bytes: Int, _ member: Member?) -> Int {
    guard let member else { return remove(step) ? step.gain : 0 }
    let (freed, entry) = member.part.giveUp(
      step.name, keeping: step.keepsEnds ? ends : nil, bytes: bytes)
    if let entry { member.evicted(entry) }
    return freed
  }

  /// Of a feed that nobody has mounted: whoever has it is locked out for so long, and waits.
  private func remove(_ step: EvictionPlan.Step) -> Bool {
    guard let root = try? File(directory: root),
      let folder = try? File(directory: step.folder, in: root), (try? folder.lock()) == true
    else { return false }
    defer { folder.unlock() }
    for ending in [".idx", ".data"] { try? folder.remove(step.name + ending) }
    return true
  }
}

/// One feed's part of the cache, as the limit sees it.
protocol CachePart: Sendable {
  /// The folder's name.
  var name: String { get }
  /// What the names of the files of `entries` begin with.
  func prefixes(of entries: [String]) -> [String]
  /// Gives up `bytes` of what lies under `name`, from its tail on but for its `ends`; all of it where no
  /// ends are to be kept. Returns how many bytes have gone, about, and of which entry, where that could
  /// be told. Blocks on the disk.
  func giveUp(_ name: String, keeping ends: KeptEnds?, bytes: Int) -> (freed: Int, entry: String?)
}
