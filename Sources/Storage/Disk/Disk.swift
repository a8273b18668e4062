import SystemPackage

/// A disk for caches and snapshots. It is a disk of this computer, or a simulated one.
package struct Disk: Sendable {
  /// Calls a closure after a time, on a thread that is allowed to block.
  typealias Timer = @Sendable (Duration, @escaping @Sendable () -> Void) -> Void

  /// Opens the directory at a path. If `create` is true, makes it if it is missing.
  let open: @Sendable (_ path: FilePath, _ create: Bool) throws(StorageError) -> Folder
  /// Runs flushes and writes after their delays. If nil, the real clock is used.
  let timer: Timer?

  init(
    timer: Timer?,
    open: @escaping @Sendable (_ path: FilePath, _ create: Bool) throws(StorageError) -> Folder
  ) {
    self.open = open
    self.timer = timer
  }

  /// The disks of this computer.
  package static let real = Disk(timer: nil) { path, create throws(StorageError) in
    try Folder(at: path, create: create)
  }
}
