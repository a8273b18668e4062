import Glibc
import NIOConcurrencyHelpers

/// The memory that the latest bytes of all files together may use, on their way to the disk.
///
/// For any thread; the lock is a leaf.
final class RecentMemory: Sendable {
  private struct Taken: Sendable {
    let address: UInt
    weak var extent: RecentExtent?
    weak var file: (any RecentFile)?
  }

  private struct State {
    var used = 0
    /// Memory that is used again, with its size. The first touch of new memory costs much more.
    var free: [(address: UInt, count: Int)] = []
    /// The extents in use, oldest first.
    var taken: [Taken] = []
  }

  private let total: Int
  private let state = NIOLockedValueBox(State())

  /// The one budget of the process, for all its feeds.
  static let ofProcess = RecentMemory(total: 4 << 20)

  /// - Parameter total: the bytes for all extents together.
  init(total: Int) {
    self.total = total
  }

  deinit {
    for memory in state.withLockedValue(\.free) { Self.unmap(memory.address, memory.count) }
  }

  /// Returns memory for the extent `number` of `file`. If none is left, takes the memory of the
  /// oldest extent whose bytes are all in their data file. Returns nil if there is none.
  func take(_ number: Int, of file: some RecentFile, blockSize: Int) -> RecentExtent? {
    let count = RecentExtent.blocks * blockSize
    while true {
      if let memory = room(for: count) {
        let extent = RecentExtent(number, blockSize: blockSize, memory, of: self)
        let taken = Taken(address: UInt(bitPattern: memory), extent: extent, file: file)
        state.withLockedValue { $0.taken.append(taken) }
        return extent
      }
      guard giveUpOldest() else { return nil }
    }
  }

  /// The bytes of all extents in use.
  var used: Int { state.withLockedValue(\.used) }

  /// The files with bytes in memory, the oldest bytes first. A file may be there twice.
  var files: [any RecentFile] {
    state.withLockedValue { $0.taken.compactMap(\.file) }
  }

  /// Takes back the memory of an extent that no thread has any more. The extent calls this while it
  /// is freed. So nothing under the lock may free an extent.
  func giveBack(_ memory: UnsafeMutableRawPointer, _ count: Int) {
    let address = UInt(bitPattern: memory)
    let unused = state.withLockedValue { state in
      state.used -= count
      state.taken.removeAll { $0.address == address }
      state.free.append((address, count))
      // An idle process keeps none of it.
      guard state.used == 0 else { return [(address: UInt, count: Int)]() }
      defer { state.free = [] }
      return state.free
    }
    for memory in unused { Self.unmap(memory.address, memory.count) }
  }

  private func room(for count: Int) -> UnsafeMutableRawPointer? {
    let known = state.withLockedValue { state -> UInt? in
      guard state.used + count <= max(total, count) else { return nil }
      state.used += count
      guard let index = state.free.lastIndex(where: { $0.count == count }) else { return 0 }
      return state.free.remove(at: index).address
    }
    guard let known else { return nil }
    if let memory = UnsafeMutableRawPointer(bitPattern: known) { return memory }
    let memory = mmap(nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    if let memory, memory != MAP_FAILED { return memory }
    state.withLockedValue { $0.used -= count }
    return nil
  }

  /// Returns true if some memory may be free now.
  private func giveUpOldest() -> Bool {
    var index = 0
    while let (extent, file) = taken(at: index) {
      if let extent, let file, file.giveUp(extent) { return true }
      index += 1
    }
    return false
  }

  /// Returns the extent at `index` in the order of age, and its file; nil behind the last one.
  private func taken(at index: Int) -> (RecentExtent?, (any RecentFile)?)? {
    state.withLockedValue { state in
      guard index < state.taken.count else { return nil }
      return (state.taken[index].extent, state.taken[index].file)
    }
  }

  private static func unmap(_ address: UInt, _ count: Int) {
    munmap(UnsafeMutableRawPointer(bitPattern: address), count)
  }
}

/// A file with bytes in `RecentMemory`.
protocol RecentFile: AnyObject, Sendable {
  /// Forgets the bytes of `extent` and returns true, if all of them are in the data file and no
  /// thread uses them.
  func giveUp(_ extent: RecentExtent) -> Bool

  /// Writes all its bytes to the data file, also those of begun blocks. Blocks on the disk.
  func writeOutAll()
}
