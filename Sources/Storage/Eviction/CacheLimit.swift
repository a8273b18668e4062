import Dispatch
import NIOConcurrencyHelpers
package import SystemPackage

/// The limit of the cache for all feeds together. It evicts bytes so that the cache stays within
/// the limit.
///
/// The directory is counted before the first write, and again whenever bytes must be evicted. It
/// must be counted again because other mounts write and evict there, too, each within its own
/// feeds. Feeds that are not mounted lose bytes, too.
///
/// For any thread. Evictions run on a queue of their own. All locks are leaves except `counting`,
/// which is held during a look at the disk.
package final class CacheLimit: Sendable {
  /// A mounted feed, with its cache files and the closures that it has given.
  private struct Member: Sendable {
    let part: any CachePart
    let listed: @Sendable () -> [String]
    let evicted: @Sendable (String) -> Void
  }

  private struct State {
    var usage: CacheUsage
    var isLooking = false
    /// The time before which no new eviction is tried, because the last one has freed nothing.
    var notBefore: ContinuousClock.Instant?

    /// Counts `bytes` if there is room, and returns whether to look at the disk. Nil before the
    /// first count.
    mutating func grant(_ bytes: Int) -> (isGranted: Bool, mustLook: Bool)? {
      guard usage.isCounted else { return nil }
      let isGranted = usage.grant(bytes)
      let isDue = usage.isTight && notBefore.map { $0 <= .now } ?? true
      guard isDue || usage.isStale, !isLooking else { return (isGranted, false) }
      isLooking = true
      return (isGranted, true)
    }
  }

  /// Bytes to evict if the disk is full. The next look may evict as many again.
  private static let relief = 32 << 20

  private let root: FilePath
  private let ends: RetainedEnds
  let queue = DispatchQueue(label: "feedfs.evict", qos: .utility)
  private let counting = NIOLock()
  private let state: NIOLockedValueBox<State>
  private let members = NIOLockedValueBox<[String: Member]>([:])

  /// - Parameters:
  ///   - root: the root directory of the cache.
  ///   - bytes: the limit for all files below `root`.
  package convenience init(at root: FilePath, bytes: Int) {
    self.init(at: root, bytes: bytes, ends: RetainedEnds())
  }

  init(at root: FilePath, bytes: Int, ends: RetainedEnds) {
    self.root = root
    self.ends = ends
    state = NIOLockedValueBox(State(usage: CacheUsage(limit: bytes)))
  }

  /// Adds `part` to the limit. At an eviction, files of `listed` entries keep their ends, and other
  /// files go whole. `evicted` gets the id of each entry that has lost bytes, or would in a rehearsal.
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

  /// The bytes that all feeds together may take up, and the bytes that they take up now. The latter
  /// is nil before the first count.
  package var usage: (limit: Int, used: Int?) {
    state.withLockedValue { ($0.usage.limit, $0.usage.isCounted ? $0.usage.used : nil) }
  }

  /// Counts the cache again, because the user has cleared bytes. Blocks on the disk.
  package func recount() {
    if state.withLockedValue({ $0.usage.isCounted }) { count() }
  }

  /// Asks whether `bytes` more may be written. If so, counts them and returns true. Callers ask
  /// before each write. The first call blocks on the disk.
  func hasRoom(for bytes: Int) -> Bool {
    guard let (isGranted, mustLook) = state.withLockedValue({ $0.grant(bytes) }) else {
      count()
      return hasRoom(for: bytes)
    }
    if mustLook { queue.async { self.look() } }
    return isGranted
  }

  /// Asks for room even at the limit, for bytes without which others are of no use.
  func hasNeededRoom(for bytes: Int) -> Bool {
    state.withLockedValue { $0.usage.grantNeeded(bytes) }
  }

  /// Starts an eviction, whatever the limit, because less of the disk is free than must be.
  func diskIsFull() {
    let mustLook = state.withLockedValue { state in
      guard !state.isLooking, state.notBefore.map({ $0 <= .now }) ?? true else { return false }
      state.isLooking = true
      return true
    }
    if mustLook { queue.async { self.look(for: Self.relief) } }
  }

  /// Evicts until all files together take up at most `bytes`, as far as possible. A rehearsal
  /// evicts nothing, and finds out which bytes would go. Returns about how many bytes are gone, and
  /// how many stay if these are more than `bytes`. Blocks on the disk.
  ///
  /// - Parameter gone: the versions that count as gone already, by the name of their folder.
  package func prune(
    to bytes: Int, isRehearsal: Bool, besides gone: [String: Set<String>] = [:]
  ) -> (freed: Int, stay: Int?) {
    var folders = count()
    for (folder, names) in gone { folders.files[folder]?.removeAll { names.contains($0.name) } }
    let excess = folders.bytes - bytes
    guard excess > 0 else { return (0, nil) }
    let freed = evict(excess, from: folders, isRehearsal: isRehearsal)
    return (freed, freed < excess ? folders.bytes - freed : nil)
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
    // These bytes were granted, but are not on the disk yet. Some may be counted twice.
    let pending = members.withLockedValue { $0.values.map(\.part) }.reduce(0) {
      $0 + $1.pendingBytes
    }
    var folders = Folders()
    if let root = try? File(directory: root) {
      for name in (try? root.names()) ?? [] where !name.hasPrefix(".") {
        guard let folder = try? File(directory: name, in: root) else { continue }
        folders.files[name] = CachedFile.all(in: folder)
        folders.pinned[name] = PinnedNames(in: folder)
      }
    }
    let bytes = folders.bytes + pending
    state.withLockedValue { $0.usage.counted(bytes) }
    return folders
  }

  /// Counts the cache, then evicts as many bytes as the limit demands, and at least `relief`.
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
  private func evict(_ bytes: Int, from folders: Folders, isRehearsal: Bool = false) -> Int {
    let members = members.withLockedValue { $0 }
    var freed = 0
    for step in plan(folders, members).steps where freed < bytes {
      freed += giveUp(step, bytes: bytes - freed, members[step.folder], isRehearsal)
    }
    return freed
  }

  private func plan(_ folders: Folders, _ members: [String: Member]) -> EvictionPlan {
    EvictionPlan(
      folders.files, listed: members.mapValues { Set($0.part.prefixes(of: $0.listed())) },
      pinned: folders.pinned, ends: ends)
  }

  /// Returns about how many bytes are gone.
  private func giveUp(
    _ step: EvictionPlan.Step, bytes: Int, _ member: Member?, _ isRehearsal: Bool
  ) -> Int {
    guard let member else { return remove(step, isRehearsal) ? step.gain : 0 }
    let (freed, entry) = member.part.giveUp(
      step.name, keeping: step.keepsEnds ? ends : nil, bytes: bytes, isRehearsal: isRehearsal)
    if let entry { member.evicted(entry) }
    return freed
  }

  /// Removes a version of a feed that is not mounted. A process that mounts the feed meanwhile
  /// finds it locked, and waits.
  private func remove(_ step: EvictionPlan.Step, _ isRehearsal: Bool) -> Bool {
    guard let root = try? File(directory: root),
      let folder = try? File(directory: step.folder, in: root), (try? folder.lock()) == true
    else { return false }
    defer { folder.unlock() }
    guard !isRehearsal else { return true }
    for ending in EntryFiles.endings { try? folder.remove(step.name + ending) }
    return true
  }
}

/// One feed's part of the cache, as the limit sees it.
protocol CachePart: Sendable {
  /// The name of the feed's folder.
  var name: String { get }
  /// The bytes that are on their way to the disk.
  var pendingBytes: Int { get }
  /// Returns the prefixes of the file names of `entries`.
  func prefixes(of entries: [String]) -> [String]
  /// Evicts `bytes` of the version called `name`, beginning at its tail. The `ends` stay. If `ends`
  /// is nil, it evicts the whole version. Returns about how many bytes are gone, and the entry's id
  /// if it could be read. A rehearsal returns the same, and changes nothing. Blocks on the disk.
  func giveUp(
    _ name: String, keeping ends: RetainedEnds?, bytes: Int, isRehearsal: Bool
  ) -> (freed: Int, entry: String?)
}
