import Locks
import Synchronization

/// The descriptors of cache files. When descriptors become few, the pool closes the files that were
/// unused longest. A closed file is opened again at its next use.
///
/// The kernel gives each new descriptor the lowest free number. So that number shows how many
/// descriptors the whole process has at least. For any thread. No file is opened or closed by a
/// thread that holds a lock of the pool.
package final class DescriptorPool: Sendable {
  /// The place of one file in the pool. The file can be open or closed.
  final class Seat: Sendable {
    fileprivate let file = Locked<(any DiskFile)?>(nil)
    fileprivate let lastUse = Atomic<UInt64>(0)

    /// The file; nil if it is closed. It stays open as long as a caller has a reference to it.
    var open: (any DiskFile)? { file.withLock { $0 } }
  }

  /// The one pool of the process, because all its feeds share one table of descriptors.
  package static let ofProcess = DescriptorPool { .current }

  private let limit: @Sendable () -> DescriptorLimit
  private let clock = Atomic<UInt64>(0)
  private let seats = Locked<[ObjectIdentifier: Seat]>([:])

  /// - Parameter limit: returns the limit at the time of the call.
  init(limit: @escaping @Sendable () -> DescriptorLimit) {
    self.limit = limit
  }

  /// The number of open files.
  var count: Int { seats.withLock { $0.count } }

  /// Notes that the file of `seat` is used now.
  func used(_ seat: Seat) {
    seat.lastUse.store(clock.add(1, ordering: .relaxed).newValue, ordering: .relaxed)
  }

  /// Notes that `file` was opened for `seat`. Returns the file to use. It is another one than
  /// `file` if another thread has opened the file for `seat` before.
  func took(_ file: any DiskFile, for seat: Seat) -> any DiskFile {
    used(seat)
    let (taken, isNew) = seat.file.withLock { current in
      let isNew = current == nil
      current = current ?? file
      return (current ?? file, isNew)
    }
    guard isNew else { return taken }
    seats.withLock { $0[ObjectIdentifier(seat)] = seat }
    if file.number >= limit().endOfFiles { giveUp(1, besides: seat) }
    return taken
  }

  /// Removes `seat`, because its file is not needed any more.
  func left(_ seat: Seat) {
    seats.withLock { $0[ObjectIdentifier(seat)] = nil }
  }

  /// Closes half of the open files, because no descriptor is left. Returns false if none was open.
  package func giveUp() -> Bool {
    giveUp((count + 1) / 2, besides: nil)
  }

  @discardableResult
  private func giveUp(_ most: Int, besides used: Seat?) -> Bool {
    let unused = seats.withLock { seats in
      let others = seats.values.filter { $0 !== used }
      let ages = others.map { (age: $0.lastUse.load(ordering: .relaxed), seat: $0) }
      let oldest =
        most == 1
        ? ages.min { $0.age < $1.age }.map { [$0] } ?? []
        : Array(
          ages.sorted { $0.age < $1.age }.prefix(most))
      for (_, seat) in oldest { seats[ObjectIdentifier(seat)] = nil }
      return oldest.map(\.seat)
    }
    // A file that callers are using is closed when the last of them has finished.
    let files = unused.compactMap { seat in
      seat.file.withLock { file in
        defer { file = nil }
        return file
      }
    }
    return !files.isEmpty
  }
}
