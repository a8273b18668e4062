import Locks
import Synchronization

/// The descriptors of cache files. When other uses need descriptors, the pool closes the files that
/// were unused longest. Such a file is opened again at its next use.
///
/// The kernel gives out the lowest free number. So the number of a new descriptor shows how many
/// the whole process has, at least. For any thread. The lock is a leaf, and no file is opened or
/// closed under it.
package final class DescriptorPool: Sendable {
  /// One file of the pool. If it is closed, it is opened when it is needed.
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

  /// Notes that `seat` is in use.
  func used(_ seat: Seat) {
    seat.lastUse.store(clock.add(1, ordering: .relaxed).newValue, ordering: .relaxed)
  }

  /// Notes that `file` was opened for `seat`. Returns the file to use, which may be another: a
  /// second thread may have opened one for `seat` before.
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

  /// Removes `seat`, because it is no longer needed.
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
    // A file that callers are using closes when the last of them has finished.
    let files = unused.compactMap { seat in
      seat.file.withLock { file in
        defer { file = nil }
        return file
      }
    }
    return !files.isEmpty
  }
}
