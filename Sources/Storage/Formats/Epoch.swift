import SystemPackage

/// A number that changes each time a process did not close the cache of a feed in order, for
/// example because it was killed.
///
/// The checksum of each clean mark includes the number. So an unclean stop voids all clean marks at
/// once, even those of files that were closed before the stop.
/// ```
/// 0   8  the epoch: a random number, a new one after an unclean stop
/// 8   1  1 after the cache was closed in order; 0 while it is in use
/// ```
struct Epoch: Sendable {
  private static let name = "epoch"

  let value: UInt64
  /// The file with the epoch; nil if the disk is read-only. Then the epoch cannot change, and need
  /// not, because no cache file changes either.
  private let file: (any DiskFile)?

  /// Reads the epoch in `folder`. If the cache was not closed in order, makes a new one. The caller
  /// must hold the folder's lock.
  init(in folder: any DiskFolder) {
    file =
      (try? folder.open(Self.name, for: .write))
      ?? (try? folder.open(Self.name, for: .create))
    let saved = (try? (file ?? folder.open(Self.name, for: .read)).read(9, at: 0)) ?? []
    let isInOrder = saved.count == 9 && saved[8] == 1
    let isNoted = file == nil || Self.write(saved.prefix(8) + [0], to: file)
    value = isInOrder && isNoted ? saved.integer(at: 0) : .random(in: .min ... .max)
  }

  /// Notes on the disk that the cache was closed in order. If this fails, the next process makes a
  /// new epoch.
  func end() {
    _ = Self.write(value.encoded + [1], to: file)
  }

  private static func write(_ bytes: [UInt8], to file: (any DiskFile)?) -> Bool {
    do {
      try file?.write(bytes, at: 0)
      try file?.sync()
      return true
    } catch {
      return false
    }
  }
}
