import Glibc
import SystemPackage

/// A file of some disk; `File` is a real one.
///
/// Closed when the last reference goes. For any thread: each call gives its offset.
protocol DiskFile: AnyObject, Sendable {
  /// The number of the descriptor.
  var number: Int32 { get }
  /// Lends the descriptor for the time of the call: to the kernel, for passthrough.
  func lend(to body: (FileDescriptor) -> Void) throws(Errno)
  /// Keeps the file usable, which may lose its name.
  func hold()

  func status() throws(Errno) -> File.Status
  /// Sets the time of the last change.
  func touch(_ date: File.Date) throws(Errno)
  /// Returns `count` bytes from `offset` on, fewer at the end of the file.
  func read(_ count: Int, at offset: Int) throws(Errno) -> [UInt8]
  /// The same into the start of `bytes`; returns the count.
  func read(_ count: Int, at offset: Int, into bytes: inout [UInt8]) throws(Errno) -> Int
  /// Writes all of `bytes`; if this throws, a part of them may have been written.
  func write(_ bytes: RawSpan, at offset: Int) throws(Errno)
  /// Makes the file `length` bytes long; never makes it shorter, since it may be mapped.
  func extend(to length: Int) throws(Errno)
  /// Removes the bytes after the first `length`, which must not be mapped.
  func cut(to length: Int) throws(Errno)
  /// Frees the disk space of `ranges`, which read as zeros from then on. Throws
  /// `resourceTemporarilyUnavailable` and does nothing if the file is open elsewhere too, or if the
  /// disk cannot tell. Otherwise calls `willPunch` first, which may call it off. If this throws
  /// another error, some ranges may be freed.
  func punch(_ ranges: [Range<Int>], willPunch: () -> Bool) throws(Errno)
  /// Maps the first `length` bytes, at least one, as memory.
  func mapped(_ length: Int) throws(Errno) -> Mapping
  /// Waits until the bytes, and the size that leads to them, are on the disk.
  func syncData() throws(Errno)
  /// Waits until the file, or the names in the directory, are on the disk.
  func sync() throws(Errno)
}

/// An open directory of some disk. No name is followed through a symbolic link.
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
  /// Takes the lock of this open directory; false: another holder has it.
  func lock() throws(Errno) -> Bool
  func unlock()
  /// The free and the total bytes of the file system, for an ordinary user.
  func space() throws(Errno) -> FreeSpace.Look
}

extension DiskFile {
  func hold() {}

  func write(_ bytes: [UInt8], at offset: Int) throws(Errno) {
    try write(bytes.span.bytes, at: offset)
  }

  /// Returns another descriptor of the file, which the caller owns.
  func duplicate() throws(Errno) -> FileDescriptor {
    var copy: Result<Int32, Errno> = .failure(.badFileDescriptor)
    try lend { file in copy = File.calling { fcntl(file.rawValue, F_DUPFD_CLOEXEC, 0) } }
    return FileDescriptor(rawValue: try copy.get())
  }
}
