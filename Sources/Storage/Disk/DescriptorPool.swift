import NIOConcurrencyHelpers
import Synchronization
import SystemPackage

/// The descriptors of cache files. When others need the numbers, the longest unused are closed;
/// they are opened again at their next use.
///
/// The kernel gives out the lowest free number, so the number of a new descriptor tells how many
/// are taken by the whole process. For any thread; the lock is a leaf, and no file is opened or
/// closed under it.
package final class DescriptorPool: Sendable {
  /// One file: open, or opened when it is needed.
  final class Seat: Sendable {
    fileprivate let file = NIOLockedValueBox<(any DiskFile)?>(nil)
    fileprivate let lastUse = Atomic<UInt64>(0)

    /// The file, if it is open; it stays open as long as a caller has it.
    var open: (any DiskFile)? { file.withLockedValue { $0 } }
  }

  /// One pool for the process: all its feeds share one table of descriptors.
  package static let ofProcess = DescriptorPool { .current }

  private let limit: @Sendable () -> DescriptorLimit
  private let clock = Atomic<UInt64>(0)
  private let seats = NIOLockedValueBox<[ObjectIdentifier: Seat]>([:])

  /// - Parameter limit: returns the limit at the time of the call.
  init(limit: @escaping @Sendable () -> DescriptorLimit) {
    self.limit = limit
  }

  /// The number of open descriptors.
  var count: Int { seats.withLockedValue { $0.count } }

  /// Notes that `seat` is in use.
  func used(_ seat: Seat) {
    seat.lastUse.store(clock.add(1, ordering: .relaxed).newValue, ordering: .relaxed)
  }

  /// Notes that `file` was opened for `seat`; returns the file that another thread has opened
  /// meanwhile, if there is one.
  func took(_ file: any DiskFile, for seat: Seat) -> any DiskFile {
    used(seat)
    let (taken, isNew) = seat.file.withLockedValue { current in
      let isNew = current == nil
      current = current ?? file
      return (current ?? file, isNew)
    }
    guard isNew else { return taken }
    seats.withLockedValue { $0[ObjectIdentifier(seat)] = seat }
    if file.number >= limit().endOfFiles { giveUp(1, besides: seat) }
    return taken
  }

  /// Removes `seat`, which is needed no more.
  func left(_ seat: Seat) {
    seats.withLockedValue { $0[ObjectIdentifier(seat)] = nil }
  }

  /// Closes half of the open files, since no descriptor is left; false: none was open.
  package func giveUp() -> Bool {
    giveUp((count + 1) / 2, besides: nil)
  }

  @discardableResult
  private func giveUp(_ most: Int, besides used: Seat?) -> Bool {
    let unused = seats.withLockedValue { seats in
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
    // Each file closes when the last caller that has it at this moment lets go of it.
    let files = unused.compactMap { seat in
      seat.file.withLockedValue { file in
        defer { file = nil }
        return file
      }
    }
    return !files.isEmpty
  }
}
