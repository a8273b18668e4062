import SystemPackage

/// A number that stays the same as long as every use of a feed's cache ends in order.
///
/// Clean marks include it. So an unclean stop voids all clean marks at once, even of files that had
/// been closed before.
/// ```
/// 0   8  the epoch: a random number, new if the one before did not end in order
/// 8   1  1 while the cache is not in use and was left in order, else 0
/// ```
struct Epoch: Sendable {
  private static let name = "epoch"

  let value: UInt64
  /// The file with the epoch. Nil if the disk is read-only. Then the epoch stays, because no file
  /// changes either.
  private let file: (any DiskFile)?

  /// Continues the epoch in `folder`, or begins a new one. The caller must hold the folder's lock.
  init(in folder: any DiskFolder) {
    file =
      (try? folder.open(Self.name, for: .write))
      ?? (try? folder.open(Self.name, for: .create))
    let saved = (try? (file ?? folder.open(Self.name, for: .read)).read(9, at: 0)) ?? []
    let isInOrder = saved.count == 9 && saved[8] == 1
    let isNoted = file == nil || Self.write(saved.prefix(8) + [0], to: file)
    value = isInOrder && isNoted ? saved.integer(at: 0) : .random(in: .min ... .max)
  }

  /// Notes on the disk that every file was left in order. If this fails, the next use begins a new
  /// epoch.
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
