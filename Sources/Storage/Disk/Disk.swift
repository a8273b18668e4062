import SystemPackage

/// A disk, as caches and snapshots use it: this computer's, or a simulated one.
package struct Disk: Sendable {
  /// Calls a closure after a time, on a thread that may block.
  typealias Timer = @Sendable (Duration, @escaping @Sendable () -> Void) -> Void

  /// Opens the directory at a path; makes it if `create`.
  let open: @Sendable (_ path: FilePath, _ create: Bool) throws(StorageError) -> Folder
  /// Times the flushes; nil: the real clock.
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
