import NIOConcurrencyHelpers
import Synchronization
import SystemPackage

/// The descriptors of cache files: the longest unused are closed where others need their numbers, and
/// opened again when they are used next.
///
/// The kernel gives out the lowest free number, so the number of a new descriptor says how many are taken,
/// by whomever. For any thread; the lock is a leaf, and nothing is opened or closed under it.
package final class DescriptorPool: Sendable {
  /// One file: open, or to be opened when it is needed.
  final class Seat: Sendable {
    fileprivate let file = NIOLockedValueBox<(any DiskFile)?>(nil)
    fileprivate let lastUse = Atomic<UInt64>(0)

    /// The file, if it is open; it stays so for as long as somebody has it.
    var open: (any DiskFile)? { file.withLockedValue { $0 } }
  }

  /// There is one table of descriptors, however many feeds a process has mounted.
  package static let ofProcess = DescriptorPool { .current }

  private let limit: @Sendable () -> DescriptorLimit
  private let clock = Atomic<UInt64>(0)
  private let seats = NIOLockedValueBox<[ObjectIdentifier: Seat]>([:])

  /// - Parameter limit: what holds when it is called.
  init(limit: @escaping @Sendable () -> DescriptorLimit) {
    self.limit = limit
  }

  /// Descriptors that are open.
  var count: Int { seats.withLockedValue { $0.count } }

  /// `seat` is being used.
  func used(_ seat: Seat) {
    seat.lastUse.store(clock.add(1, ordering: .relaxed).newValue, ordering: .relaxed)
  }

  /// `file` was opened for `seat`; returns what another thread has opened for it meanwhile, if it has.
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

  /// `seat` is needed no more.
  func left(_ seat: Seat) {
    seats.withLockedValue { $0[ObjectIdentifier(seat)] = nil }
  }

  /// There is no descriptor left: half of those here are closed. False: there was none to close.
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
    // Closed when the last who has it at this moment lets go of it.
    let files = unused.compactMap { seat in
      seat.file.withLockedValue { file in
        defer { file = nil }
        return file
      }
    }
    return !files.isEmpty
  }
}
