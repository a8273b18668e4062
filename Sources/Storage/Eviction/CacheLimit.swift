import Dispatch
import Locks
package import SystemPackage

/// The limit for the cache of all feeds together. It evicts bytes so that the cache stays within
/// the limit.
///
/// The sizes of all files in the directory are added up before the first write, and again whenever
/// bytes must be evicted, because other mounts write and evict there, too. Each mount evicts bytes
/// of its own feeds, and of feeds that are not mounted.
///
/// For any thread. Evictions run on a queue of their own. A thread that holds a lock takes no other
/// lock and does not use the disk. The only exception is `counting`.
package final class CacheLimit: Sendable {
  /// A mounted feed: its part of the cache, and the closures that it passed to `add`.
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

    /// Counts `bytes` as used if there is room for them. Returns whether there is, and whether the
    /// caller must start `look`. Returns nil before the first count.
    mutating func grant(_ bytes: Int) -> (isGranted: Bool, mustLook: Bool)? {
      guard usage.isCounted else { return nil }
      let isGranted = usage.grant(bytes)
      let isDue = usage.isTight && notBefore.map { $0 <= .now } ?? true
      guard isDue || usage.isStale, !isLooking else { return (isGranted, false) }
      isLooking = true
      return (isGranted, true)
    }
  }

  /// The smallest number of bytes to evict when the disk is full. If that is not enough, the next
  /// `look` evicts more.
  private static let relief = 32 << 20

  private let root: FilePath
  private let ends: RetainedEnds
  let queue = DispatchQueue(label: "feedfs.evict", qos: .utility)
  private let counting = Lock()
  private let state: Locked<State>
  private let members = Locked<[String: Member]>([:])

  /// - Parameters:
  ///   - root: the root directory of the cache.
  ///   - bytes: the limit for all files below `root`.
  package convenience init(at root: FilePath, bytes: Int) {
    self.init(at: root, bytes: bytes, ends: RetainedEnds())
  }

  init(at root: FilePath, bytes: Int, ends: RetainedEnds) {
    self.root = root
    self.ends = ends
    state = Locked(State(usage: CacheUsage(limit: bytes)))
  }

  /// Adds `part` to the limit. `listed` returns the ids of the listed entries. An eviction leaves
  /// the ends of listed entries' files (`RetainedEnds`), and removes all other files whole.
  /// `evicted` gets the id of each entry that lost bytes. In a rehearsal it gets the ids of those
  /// that an eviction would take bytes from.
  func add(
    _ part: any CachePart, listed: @escaping @Sendable () -> [String],
    evicted: @escaping @Sendable (String) -> Void
  ) {
    let member = Member(part: part, listed: listed, evicted: evicted)
    members.withLock { $0[part.name] = member }
  }

  func leave(_ part: any CachePart) {
    members.withLock { $0[part.name] = nil }
  }

  /// The limit in bytes, and the bytes that all feeds together take up now. The latter is nil
  /// before the first count.
  package var usage: (limit: Int, used: Int?) {
    state.withLock { ($0.usage.limit, $0.usage.isCounted ? $0.usage.used : nil) }
  }

  /// Counts the size of the cache again, because the user has cleared bytes. Does nothing before
  /// the first count. Blocks on the disk.
  package func recount() {
    if state.withLock({ $0.usage.isCounted }) { count() }
  }

  /// Returns whether `bytes` more are allowed to be written. If so, counts them as used. Callers
  /// ask this before each write. The first call blocks on the disk.
  func hasRoom(for bytes: Int) -> Bool {
    guard let (isGranted, mustLook) = state.withLock({ $0.grant(bytes) }) else {
      count()
      return hasRoom(for: bytes)
    }
    if mustLook { queue.async { self.look() } }
    return isGranted
  }

  /// Does what `hasRoom` does, for bytes without which other cached bytes are of no use. These
  /// bytes are allowed to exceed the limit a little: see `CacheUsage.grantNeeded`. Never blocks.
  func hasNeededRoom(for bytes: Int) -> Bool {
    state.withLock { $0.usage.grantNeeded(bytes) }
  }

  /// Starts an eviction even if the cache is within the limit, because the disk has less free space
  /// than it must have (`FreeSpaceRule`).
  func diskIsFull() {
    let mustLook = state.withLock { state in
      guard !state.isLooking, state.notBefore.map({ $0 <= .now }) ?? true else { return false }
      state.isLooking = true
      return true
    }
    if mustLook { queue.async { self.look(for: Self.relief) } }
  }

  /// Evicts until all files together take up at most `bytes`, as far as possible. A rehearsal
  /// evicts nothing, and only finds out which bytes would be evicted. Returns about how many bytes
  /// were evicted. If more than `bytes` are left, also returns how many. Blocks on the disk.
  ///
  /// - Parameter gone: versions that do not count, by the name of their folder. The caller has
  ///   removed them. In a rehearsal they are still there, but the caller would remove them
  ///   otherwise.
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
    // `pending` bytes were granted, but are not on the disk yet. Those that reach the disk during
    // this count are counted twice.
    let pending = members.withLock { $0.values.map(\.part) }.reduce(0) {
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
    state.withLock { $0.usage.counted(bytes) }
    return folders
  }

  /// Counts the size of the cache, then evicts as many bytes as the limit demands, but at least
  /// `relief`.
  private func look(for relief: Int = 0) {
    defer { state.withLock { $0.isLooking = false } }
    let folders = count()
    let usage = state.withLock { $0.usage }
    guard usage.isTight || relief > 0 else { return }
    let hasFreed = evict(max(usage.excess, relief), from: folders) > 0
    if hasFreed { count() }
    state.withLock { $0.notBefore = hasFreed ? nil : .now + .seconds(1) }
  }

  /// Returns about how many bytes were evicted.
  private func evict(_ bytes: Int, from folders: Folders, isRehearsal: Bool = false) -> Int {
    let members = members.withLock { $0 }
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

  /// Returns about how many bytes were evicted.
  private func giveUp(
    _ step: EvictionPlan.Step, bytes: Int, _ member: Member?, _ isRehearsal: Bool
  ) -> Int {
    guard let member else { return remove(step, isRehearsal) ? step.gain : 0 }
    let (freed, entry) = member.part.giveUp(
      step.name, keeping: step.keepsEnds ? ends : nil, bytes: bytes, isRehearsal: isRehearsal)
    if let entry { member.evicted(entry) }
    return freed
  }

  /// Removes a version of a feed that is not mounted. Returns false if the folder cannot be locked.
  /// A process that mounts the feed meanwhile finds the folder locked, and tries again.
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
  /// The number of bytes that are in memory and not written to the disk yet.
  var pendingBytes: Int { get }
  /// Returns the prefixes of the file names of `entries`.
  func prefixes(of entries: [String]) -> [String]
  /// Evicts about `bytes` of the version called `name`, from its end towards its beginning. The
  /// blocks of `ends` stay. If `ends` is nil, the whole version is removed. Returns about how many
  /// bytes were evicted, and the entry's id if it could be read. A rehearsal returns the same
  /// values, and changes nothing. Blocks on the disk.
  func giveUp(
    _ name: String, keeping ends: RetainedEnds?, bytes: Int, isRehearsal: Bool
  ) -> (freed: Int, entry: String?)
}
