import Glibc
import Locks

/// The memory for the latest bytes of all files together: those that must still be written to the
/// disk, and some that are written already.
///
/// For any thread. A thread that holds the lock takes no other lock.
final class RecentMemory: Sendable {
  private struct Taken: Sendable {
    let address: UInt
    let number: Int
    let file: Owner
  }

  /// A weak reference to a file. All extents of the file share one, because a weak reference for
  /// each extent would cost more.
  final class Owner: Sendable {
    private struct Reference {
      weak var file: (any RecentFile)?
    }

    private let reference = Locked(Reference())

    var file: (any RecentFile)? {
      get { reference.withLock { $0.file } }
      set { reference.withLock { $0.file = newValue } }
    }
  }

  private struct State {
    var used = 0
    /// Freed memory for later extents, with its size in bytes. The first access to new memory from
    /// the kernel costs much more.
    var free: [(address: UInt, count: Int)] = []
    /// The extents in use, oldest first.
    var taken: [Taken] = []
  }

  private let total: Int
  private let state = Locked(State())

  /// The one budget of the process, for all its feeds.
  static let ofProcess = RecentMemory(total: 4 << 20)

  /// - Parameter total: the bytes for all extents together.
  init(total: Int) {
    self.total = total
  }

  deinit {
    for memory in state.withLock(\.free) { Self.unmap(memory.address, memory.count) }
  }

  /// Returns memory for the extent `number` of `file`. `owner` must refer to `file`. If the limit
  /// is reached, frees the oldest extent whose bytes are all in the data file. Returns nil if there
  /// is no such extent.
  func take(
    _ number: Int, of file: some RecentFile, _ owner: Owner, blockSize: Int
  ) -> RecentExtent? {
    let count = RecentExtent.blocks * blockSize
    while true {
      if let memory = room(for: count) {
        let extent = RecentExtent(number, blockSize: blockSize, memory, of: self)
        let taken = Taken(address: extent.address, number: number, file: owner)
        state.withLock { $0.taken.append(taken) }
        return extent
      }
      guard giveUpOldest(asking: file, owner) else { return nil }
    }
  }

  /// The number of bytes of all extents in use.
  var used: Int { state.withLock(\.used) }

  /// The files that have extents, in the order of the extents' age, oldest first. A file with
  /// several extents is there several times.
  var files: [any RecentFile] {
    state.withLock { $0.taken.map(\.file) }.compactMap(\.file)
  }

  /// Takes back the memory of an extent that no thread uses any more. The extent's `deinit` calls
  /// this, and this takes the lock. So no extent is allowed to be freed by a thread that holds the
  /// lock.
  func giveBack(_ memory: UnsafeMutableRawPointer, _ count: Int) {
    let address = UInt(bitPattern: memory)
    let unused = state.withLock { state in
      state.used -= count
      if let index = state.taken.firstIndex(where: { $0.address == address }) {
        state.taken.remove(at: index)
      }
      state.free.append((address, count))
      // When no extent is in use any more, all memory goes back to the kernel.
      guard state.used == 0 else { return [(address: UInt, count: Int)]() }
      defer { state.free = [] }
      return state.free
    }
    for memory in unused { Self.unmap(memory.address, memory.count) }
  }

  private func room(for count: Int) -> UnsafeMutableRawPointer? {
    let known = state.withLock { state -> UInt? in
      guard state.used + count <= max(total, count) else { return nil }
      state.used += count
      guard let index = state.free.lastIndex(where: { $0.count == count }) else { return 0 }
      return state.free.remove(at: index).address
    }
    guard let known else { return nil }
    if let memory = UnsafeMutableRawPointer(bitPattern: known) { return memory }
    let memory = mmap(nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    if let memory, memory != MAP_FAILED { return memory }
    state.withLock { $0.used -= count }
    return nil
  }

  /// Frees the oldest extent whose bytes are all in the data file. Returns false if there is none.
  private func giveUpOldest(asking file: some RecentFile, _ owner: Owner) -> Bool {
    var index = 0
    while let taken = taken(at: index) {
      let isGone =
        taken.file === owner
        ? file.giveUp(taken.number, at: taken.address)
        : taken.file.file?.giveUp(taken.number, at: taken.address) ?? false
      if isGone { return true }
      index += 1
    }
    return false
  }

  /// Returns the extent at `index` in the order of age; nil if `index` is after the last one.
  private func taken(at index: Int) -> Taken? {
    state.withLock { index < $0.taken.count ? $0.taken[index] : nil }
  }

  private static func unmap(_ address: UInt, _ count: Int) {
    munmap(UnsafeMutableRawPointer(bitPattern: address), count)
  }
}

/// A file with bytes in `RecentMemory`.
protocol RecentFile: AnyObject, Sendable {
  /// Forgets the extent `number` and returns true if its memory is at `address` and all its bytes
  /// are in the data file. Otherwise returns false.
  func giveUp(_ number: Int, at address: UInt) -> Bool

  /// Writes all bytes that are only in memory to the data file, also those of incomplete blocks.
  /// Blocks on the disk.
  func writeOutAll()
}
