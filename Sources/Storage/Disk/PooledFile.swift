import Locks
import SystemPackage

/// A cache file whose descriptor the pool can close whenever no call uses it. The next call opens
/// it again.
///
/// The file is opened again by its name. If the name belongs to another file by then, the call
/// throws EIO. If no file has the name, the call throws ENOENT. So `hold` must be called before the
/// file is unlinked or renamed. Mappings stay valid while the file is closed. For any thread.
final class PooledFile: DiskFile {
  private let name: String
  /// The folder of the file. The reference is weak, because a folder keeps its lock for as long as
  /// the object exists, and only its owner decides when that ends.
  private weak let folder: (any DiskFolder)?
  private let access: File.Access
  private let identity: File.Identity
  private let pool: DescriptorPool
  private let seat = DescriptorPool.Seat()
  private let locked = Locked<(any DiskFile)?>(nil)

  /// Opens the file `name` in `folder`, as `DiskFile.open` does.
  init(
    _ name: String, in folder: any DiskFolder, for access: File.Access, of pool: DescriptorPool
  ) throws(Errno) {
    let file = try folder.open(name, for: access)
    identity = try file.status().identity
    self.name = name
    self.folder = folder
    self.access = access.again
    self.pool = pool
    _ = pool.took(file, for: seat)
  }

  deinit {
    pool.left(seat)
  }

  /// Returns the open file. It stays open as long as the caller has a reference to it.
  private func opened() throws(Errno) -> any DiskFile {
    if let open = seat.open ?? locked.withLock({ $0 }) {
      pool.used(seat)
      return open
    }
    guard let folder else { throw .badFileDescriptor }
    let file = try folder.open(name, for: access)
    guard try file.status().identity == identity else { throw .ioError }
    return pool.took(file, for: seat)
  }

  /// Keeps the file open from now on, because it may be unlinked or renamed soon. Does nothing if
  /// it cannot be opened.
  func hold() {
    guard let file = try? opened() else { return }
    locked.withLock { $0 = file }
  }

  var canBeOpened: Bool { (try? opened())?.canBeOpened ?? false }

  var number: Int32 { seat.open?.number ?? 0 }

  func lend(to body: (FileDescriptor) -> Void) throws(Errno) {
    try opened().lend(to: body)
  }

  func status() throws(Errno) -> File.Status { try opened().status() }

  func glance(opens: Bool) throws(Errno) -> FileGlance? {
    if opens { return try opened().glance(opens: true) }
    guard let open = seat.open ?? locked.withLock({ $0 }) else { return nil }
    pool.used(seat)
    return try open.glance(opens: false)
  }

  func touch(_ date: File.Date) throws(Errno) { try opened().touch(date) }

  func read(_ count: Int, at offset: Int) throws(Errno) -> [UInt8] {
    try opened().read(count, at: offset)
  }

  func read(_ count: Int, at offset: Int, into bytes: inout [UInt8]) throws(Errno) -> Int {
    try opened().read(count, at: offset, into: &bytes)
  }

  func write(_ bytes: RawSpan, at offset: Int) throws(Errno) {
    try opened().write(bytes, at: offset)
  }

  func extend(to length: Int) throws(Errno) { try opened().extend(to: length) }

  func cut(to length: Int) throws(Errno) { try opened().cut(to: length) }

  func punch(_ ranges: [Range<Int>], willPunch: () -> Bool) throws(Errno) {
    try opened().punch(ranges, willPunch: willPunch)
  }

  func mapped(_ length: Int) throws(Errno) -> Mapping { try opened().mapped(length) }

  func syncData() throws(Errno) { try opened().syncData() }

  func forgetPages() throws(Errno) { try opened().forgetPages() }

  func sync() throws(Errno) { try opened().sync() }
}

extension File.Access {
  /// The access for opening a file again that was first opened or made with this access.
  fileprivate var again: Self {
    switch self {
    case .read: .read
    // The pool never gets a file without a name, so the value for `unnamed` does not matter.
    case .write, .create, .unnamed: .write
    case .append: .append
    }
  }
}
