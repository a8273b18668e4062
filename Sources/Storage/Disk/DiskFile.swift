import SystemPackage

/// A file of some disk; `File` is one of the computer's.
///
/// Closed when the last reference goes. For any thread: offsets are given with each call.
protocol DiskFile: AnyObject, Sendable {
  /// Its descriptor's number.
  var number: Int32 { get }
  /// Its descriptor for the time of the call: for the kernel, where it reads the file by itself.
  func lend(to body: (FileDescriptor) -> Void) throws(Errno)
  /// It may lose its name, and is to be used on.
  func hold()

  func status() throws(Errno) -> File.Status
  /// Sets the time of the last change.
  func touch(_ date: File.Date) throws(Errno)
  /// The bytes from `offset` on: `count` of them, fewer at the end of the file.
  func read(_ count: Int, at offset: Int) throws(Errno) -> [UInt8]
  /// The same into the first of `bytes`; says how many.
  func read(_ count: Int, at offset: Int, into bytes: inout [UInt8]) throws(Errno) -> Int
  /// Writes all of `bytes`; when this throws, a part of them may have been written.
  func write(_ bytes: RawSpan, at offset: Int) throws(Errno)
  /// Makes the file `length` bytes long; never shorter, since it may be mapped.
  func extend(to length: Int) throws(Errno)
  /// Takes away what lies behind the first `length` bytes, which nobody may have mapped.
  func cut(to length: Int) throws(Errno)
  /// Gives back what `ranges` take up on the disk, which are zeros from then on. Nothing is done, and this
  /// is `resourceTemporarilyUnavailable`, where anybody else has the file open, or the disk cannot tell;
  /// otherwise `willPunch` is called first, and may call it off. When another error is thrown, some of it
  /// may have been done.
  func punch(_ ranges: [Range<Int>], willPunch: () -> Bool) throws(Errno)
  /// Its first `length` bytes, at least one, as memory.
  func mapped(_ length: Int) throws(Errno) -> Mapping
  /// Waits until the bytes, and the size that leads to them, are on the disk.
  func syncData() throws(Errno)
  /// Waits until the file, or the names in the directory, are on the disk.
  func sync() throws(Errno)
}

/// An open directory of some disk. No name is followed through a symbolic link.
protocol DiskFolder: DiskFile {
  /// Opens the file `name` in this directory; what is made has mode 0600.
  func open(_ name: String, for access: File.Access) throws(Errno) -> any DiskFile
  /// Opens the directory `name` in this one.
  func directory(_ name: String) throws(Errno) -> any DiskFolder
  /// Makes the directory `name` in this one, of mode 0700; one that is there is as good.
  func makeDirectory(_ name: String) throws(Errno)
  /// Removes the name of a file; one that is not there is as good.
  func remove(_ name: String) throws(Errno)
  func rename(_ old: String, to new: String) throws(Errno)
  /// The names in this directory, in no order.
  func names() throws(Errno) -> [String]
  /// Takes the lock that goes with this open directory; false: someone else has it.
  func lock() throws(Errno) -> Bool
  func unlock()
  /// Free and all bytes of the file system, as an ordinary user may use them.
  func space() throws(Errno) -> FreeSpace.Look
}

extension DiskFile {
  func hold() {}

  func write(_ bytes: [UInt8], at offset: Int) throws(Errno) {
    try write(bytes.span.bytes, at: offset)
  }
}
