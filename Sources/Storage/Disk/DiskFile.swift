import Glibc
import SystemPackage

/// A file on a real or a simulated disk. `File` is one on a real disk.
///
/// It is closed when its last reference goes. For any thread, because each call gives its offset.
protocol DiskFile: AnyObject, Sendable {
  /// The number of the descriptor.
  var number: Int32 { get }
  /// Lends the descriptor for the time of the call. The kernel needs it for passthrough.
  func lend(to body: (FileDescriptor) -> Void) throws(Errno)
  /// Keeps the file usable after it loses its name.
  func hold()
  /// True if the file can be opened once more. A file system that has shut itself down opens
  /// nothing.
  var canBeOpened: Bool { get }

  func status() throws(Errno) -> File.Status
  /// Returns the state of the file as the kernel has it in memory, without a wait for the disk. A
  /// closed file is opened first, which may wait; if `opens` is false, the result is nil instead.
  func glance(opens: Bool) throws(Errno) -> FileGlance?
  /// Sets the time of the last change.
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
  /// Frees the disk space of `ranges`. They read as zeros from then on. Calls `willPunch` first,
  /// and does nothing if that returns false.
  ///
  /// If the file is open elsewhere too, or if the disk cannot tell, throws
  /// `resourceTemporarilyUnavailable` and does nothing. After any other error, some ranges may be
  /// free.
  func punch(_ ranges: [Range<Int>], willPunch: () -> Bool) throws(Errno)
  /// Maps the first `length` bytes as memory. `length` must be at least one.
  func mapped(_ length: Int) throws(Errno) -> Mapping
  /// Waits until the bytes and the size of the file are on the disk.
  func syncData() throws(Errno)
  /// Lets the kernel forget the bytes of the file that it has in memory, so that the next read gets
  /// those of the disk. Bytes that are on their way to the disk stay.
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
  /// Removes the name of a file, if it exists.
  func remove(_ name: String) throws(Errno)
  func rename(_ old: String, to new: String) throws(Errno)
  /// The names in this directory, in no order.
  func names() throws(Errno) -> [String]
  /// Takes the lock of this open directory. Returns false if another holder has it.
  func lock() throws(Errno) -> Bool
  func unlock()
  /// The free and the total bytes of the file system, for an ordinary user.
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
