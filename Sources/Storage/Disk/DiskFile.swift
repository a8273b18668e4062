import Glibc
import SystemPackage

/// An open file on a real or a simulated disk. `File` is one on a real disk.
///
/// The file is closed when the last reference to it is released. For any thread, because the file
/// has no position: each read and write names its offset.
protocol DiskFile: AnyObject, Sendable {
  /// The number of the descriptor.
  var number: Int32 { get }
  /// Lends the descriptor to `body` for the time of the call.
  func lend(to body: (FileDescriptor) -> Void) throws(Errno)
  /// Keeps the file open, so that it can be used after it is unlinked or renamed.
  func hold()
  /// True if the file can be opened once more. It cannot, for example, if its file system has shut
  /// itself down after an error.
  var canBeOpened: Bool { get }

  func status() throws(Errno) -> File.Status
  /// Returns the attributes of the file that the kernel has in memory, without a wait for the disk.
  /// If the file's descriptor is closed and `opens` is true, opens it first, which can wait for the
  /// disk. If `opens` is false, returns nil for such a file.
  func glance(opens: Bool) throws(Errno) -> FileGlance?
  /// Sets the modification time.
  func touch(_ date: File.Date) throws(Errno)
  /// Returns `count` bytes from `offset` on, or fewer at the end of the file.
  func read(_ count: Int, at offset: Int) throws(Errno) -> [UInt8]
  /// Reads up to `count` bytes from `offset` on into the start of `bytes`. Returns how many it
  /// read.
  func read(_ count: Int, at offset: Int, into bytes: inout [UInt8]) throws(Errno) -> Int
  /// Writes all of `bytes`. If this throws, a part of them may have been written.
  func write(_ bytes: RawSpan, at offset: Int) throws(Errno)
  /// Makes the file `length` bytes long. It never makes the file shorter, because it may be mapped.
  func extend(to length: Int) throws(Errno)
  /// Removes the bytes after the first `length`. The removed bytes must not be mapped.
  func cut(to length: Int) throws(Errno)
  /// Frees the disk space of `ranges`. After that, their bytes read as zeros. Calls `willPunch`
  /// right before, and does nothing if that returns false.
  ///
  /// If the file is also open elsewhere, or if the disk cannot tell that, throws
  /// `resourceTemporarilyUnavailable` and does nothing. After any other error, some of the ranges
  /// may have been freed.
  func punch(_ ranges: [Range<Int>], willPunch: () -> Bool) throws(Errno)
  /// Maps the first `length` bytes as memory. `length` must be at least one.
  func mapped(_ length: Int) throws(Errno) -> Mapping
  /// Waits until the bytes and the size of the file are on the disk.
  func syncData() throws(Errno)
  /// Lets the kernel forget the bytes of the file that it has in memory, so that the next read
  /// comes from the disk. Bytes that are not written to the disk yet stay.
  func forgetPages() throws(Errno)
  /// Waits until the file, or the names in the directory, are on the disk.
  func sync() throws(Errno)
}

/// An open directory of a real or a simulated disk. It never follows a name through a symbolic
/// link.
protocol DiskFolder: DiskFile {
  /// Opens the file `name` in this directory; a new file gets mode 0600.
  func open(_ name: String, for access: File.Access) throws(Errno) -> any DiskFile
  /// Opens the directory `name` in this one.
  func directory(_ name: String) throws(Errno) -> any DiskFolder
  /// Makes the directory `name` in this one, with mode 0700, unless it exists.
  func makeDirectory(_ name: String) throws(Errno)
  /// Unlinks the file `name`, if it exists.
  func remove(_ name: String) throws(Errno)
  func rename(_ old: String, to new: String) throws(Errno)
  /// The names in this directory, in no order.
  func names() throws(Errno) -> [String]
  /// Takes the lock of this directory. Returns false if it is locked through another descriptor.
  func lock() throws(Errno) -> Bool
  func unlock()
  /// The free and the total bytes of the file system, as an ordinary user can use them.
  func space() throws(Errno) -> FreeSpace.Look
}

extension DiskFile {
  func hold() {}

  func glance(opens: Bool) throws(Errno) -> FileGlance? {
    FileGlance(try status())
  }

  var canBeOpened: Bool { true }

  func write(_ bytes: [UInt8], at offset: Int) throws(Errno) {
    try write(bytes.span.bytes, at: offset)
  }

  /// Returns another descriptor of the file. The caller owns it, and must close it.
  func duplicate() throws(Errno) -> FileDescriptor {
    var copy: Result<Int32, Errno> = .failure(.badFileDescriptor)
    try lend { file in copy = File.calling { fcntl(file.rawValue, F_DUPFD_CLOEXEC, 0) } }
    return FileDescriptor(rawValue: try copy.get())
  }
}

extension FileGlance {
  init(_ status: File.Status) {
    self.init(
      inode: UInt64(status.identity.inode), size: status.size, changed: status.changed)
  }
}
