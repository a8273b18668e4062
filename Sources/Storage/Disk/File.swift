import CLinux
import Glibc
import SystemPackage

/// An open file or directory. It is closed when the last reference to it is released.
///
/// All system calls on files in this module are made here, except those of `Mapping`,
/// `DescriptorLimit`, `SharedText` and `CacheDirectory.place`. A call that a signal interrupts is
/// repeated. A name in a directory is never followed through a symbolic link. For any thread: the
/// descriptor is the only state.
final class File: DiskFolder {
  /// The answer of `fstat`.
  struct Status {
    let identity: Identity
    let size: Int
    /// The bytes that the file takes up on the disk.
    let storedBytes: Int
    let owner: UInt32
    let links: Int
    /// The time of the last change of bytes (mtime), in nanoseconds since 1970.
    let modified: Int
    /// The time of the last change of bytes or attributes (ctime), which only the kernel sets, in
    /// nanoseconds since 1970.
    let changed: Int
    let isRegular: Bool
    let isWritableByOthers: Bool
  }

  /// Identifies a file on this computer, even after it is renamed.
  struct Identity: Hashable {
    let device: UInt
    let inode: UInt
  }

  /// The way in which a file is opened by its name in a directory.
  enum Access {
    case read
    case write
    /// For writing; the file must not exist yet.
    case create
    /// For writing at the end; the file is made if it is missing.
    case append
    /// For writing to a new file without a name. The caller must pass "." as the name, and the
    /// directory on whose disk the file is made.
    case unnamed

    var flags: Int32 {
      switch self {
      case .read: O_RDONLY
      case .write: O_RDWR
      case .create: O_RDWR | O_CREAT | O_EXCL
      case .append: O_WRONLY | O_CREAT | O_APPEND
      // O_TMPFILE of open(2), which no header gives to Swift.
      case .unnamed: O_RDWR | O_DIRECTORY | 0o20_000_000
      }
    }
  }

  let descriptor: Int32

  /// Opens a directory by its path. The last component must not be a symbolic link.
  init(directory path: FilePath) throws(Errno) {
    descriptor = try path.withPlatformString { path in
      Self.opening { Glibc.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) }
    }.get()
  }

  /// Opens the directory `name` in `parent`.
  init(directory name: String, in parent: File) throws(Errno) {
    descriptor = try Self.opening {
      openat(parent.descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    }.get()
  }

  /// Opens the file `name` in the directory `folder`; a new file gets mode 0600.
  ///
  /// O_NONBLOCK is set so that a FIFO with this name does not block the caller.
  init(_ name: String, in folder: File, for access: Access) throws(Errno) {
    descriptor = try Self.opening {
      let flags = access.flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
      return openat(folder.descriptor, name, flags, 0o600)
    }.get()
  }

  deinit {
    close(descriptor)
  }

  // MARK: Files

  var number: Int32 { descriptor }

  func lend(to body: (FileDescriptor) -> Void) throws(Errno) {
    body(FileDescriptor(rawValue: descriptor))
  }

  func status() throws(Errno) -> Status {
    var found = stat()
    _ = try Self.calling { fstat(descriptor, &found) }.get()
    return Status(found)
  }

  func glance(opens: Bool) throws(Errno) -> FileGlance? {
    var (inode, size, changed): (UInt64, Int64, Int64) = (0, 0, 0)
    if case .failure = Self.calling({ feedfs_glance(descriptor, &inode, &size, &changed) }) {
      // Some sandboxes do not allow statx(2), so fstat(2) is the fallback.
      return FileGlance(try status())
    }
    return FileGlance(inode: inode, size: Int(size), changed: Int(changed))
  }

  /// Returns `count` bytes from `offset` on, or fewer at the end of the file.
  func read(_ count: Int, at offset: Int) throws(Errno) -> [UInt8] {
    var outcome: Result<Int, Errno> = .success(0)
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      outcome = fill(UnsafeMutableRawBufferPointer(buffer), from: offset)
      filled = (try? outcome.get()) ?? 0
    }
    _ = try outcome.get()
    return bytes
  }

  /// Reads `count` bytes from `offset` on into the start of `bytes`, or fewer at the file's end.
  /// Returns how many it read.
  func read(_ count: Int, at offset: Int, into bytes: inout [UInt8]) throws(Errno) -> Int {
    try bytes.withUnsafeMutableBytes { buffer in
      fill(UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]), from: offset)
    }.get()
  }

  private func fill(
    _ buffer: UnsafeMutableRawBufferPointer, from offset: Int
  ) -> Result<Int, Errno> {
    var filled = 0
    while filled < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
      switch Self.calling({ pread(descriptor, rest.baseAddress, rest.count, offset + filled) }) {
      case .success(0): return .success(filled)
      case .success(let more): filled += more
      case .failure(let errno): return .failure(errno)
      }
    }
    return .success(filled)
  }

  /// Writes all of `bytes`. If this throws, a part of them may have been written.
  func write(_ bytes: RawSpan, at offset: Int) throws(Errno) {
    var done = 0
    while done < bytes.byteCount {
      let count = try bytes.extracting(done..<bytes.byteCount).withUnsafeBytes { rest in
        Self.calling { pwrite(descriptor, rest.baseAddress, rest.count, offset + done) }
      }.get()
      // If a call writes no byte, the loop would never end.
      guard count > 0 else { throw Errno.ioError }
      done += count
    }
  }

  /// Makes the file `length` bytes long. It never makes the file shorter, because it may be mapped.
  func extend(to length: Int) throws(Errno) {
    guard try status().size < length else { return }
    _ = try Self.calling { ftruncate(descriptor, length) }.get()
  }

  /// Removes the bytes after the first `length`. The removed bytes must not be mapped.
  func cut(to length: Int) throws(Errno) {
    _ = try Self.calling { ftruncate(descriptor, length) }.get()
  }

  func mapped(_ length: Int) throws(Errno) -> Mapping {
    try Mapping(self, length: length)
  }

  /// Waits until the bytes and the size of the file are on the disk.
  func syncData() throws(Errno) {
    _ = try Self.calling { fdatasync(descriptor) }.get()
  }

  /// True if the file can be opened once more by its descriptor (proc_pid_fd(5)). Also true without
  /// /proc.
  var canBeOpened: Bool {
    let path = "/proc/self/fd/\(descriptor)"
    switch Self.calling({ Glibc.open(path, O_RDONLY | O_CLOEXEC) }) {
    case .success(let again):
      close(again)
      return true
    case .failure(let error):
      return error == .noSuchFileOrDirectory
    }
  }

  /// Lets the kernel forget the bytes that it has in memory (posix_fadvise(2)).
  func forgetPages() throws(Errno) {
    let number = posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
    guard number == 0 else { throw Errno(rawValue: number) }
  }

  /// Waits until the file, or the names in the directory, are on the disk.
  func sync() throws(Errno) {
    _ = try Self.calling { fsync(descriptor) }.get()
  }

  // MARK: Calls

  /// Calls `call`, which opens a file. If no descriptor is left, closes cache files and tries
  /// again.
  static func opening(_ call: () -> Int32) -> Result<Int32, Errno> {
    while true {
      let answer = calling(call)
      guard case .failure(.tooManyOpenFiles) = answer, DescriptorPool.ofProcess.giveUp() else {
        return answer
      }
    }
  }

  static func succeedOr(
    _ accepted: Errno, _ call: () -> Int32
  ) throws(Errno) {
    if case .failure(let errno) = calling(call), errno != accepted { throw errno }
  }

  static func calling<Answer: SignedInteger>(_ call: () -> Answer) -> Result<
    Answer, Errno
  > {
    while true {
      let answer = call()
      if answer != -1 { return .success(answer) }
      let failure = Errno(rawValue: errno)
      if failure != .interrupted { return .failure(failure) }
    }
  }
}

extension File.Status {
  init(_ found: stat) {
    self.init(
      identity: File.Identity(device: found.st_dev, inode: found.st_ino),
      size: found.st_size, storedBytes: found.st_blocks * 512, owner: found.st_uid,
      links: Int(found.st_nlink),
      modified: found.st_mtim.tv_sec * 1_000_000_000 + found.st_mtim.tv_nsec,
      changed: found.st_ctim.tv_sec * 1_000_000_000 + found.st_ctim.tv_nsec,
      isRegular: found.st_mode & S_IFMT == S_IFREG, isWritableByOthers: found.st_mode & 0o022 != 0)
  }
}

/// The user to whom new files belong.
var effectiveUser: UInt32 {
  geteuid()
}

/// The number of this process.
var processID: Int {
  Int(getpid())
}
