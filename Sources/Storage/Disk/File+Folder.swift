import Glibc
import SystemPackage

/// Opens, names, removes and locks the files in an open directory.
extension File {
  func open(_ name: String, for access: Access) throws(Errno) -> any DiskFile {
    try File(name, in: self, for: access)
  }

  func directory(_ name: String) throws(Errno) -> any DiskFolder {
    try File(directory: name, in: self)
  }

  /// Makes a directory of mode 0700, unless it exists.
  static func makeDirectory(_ path: FilePath) throws(Errno) {
    try succeedOr(.fileExists) { path.withPlatformString { mkdir($0, 0o700) } }
  }

  /// Makes the directory `name` in this one, with mode 0700, unless it exists.
  func makeDirectory(_ name: String) throws(Errno) {
    try Self.succeedOr(.fileExists) { mkdirat(descriptor, name, 0o700) }
  }

  /// Unlinks the file `name`, if it exists.
  func remove(_ name: String) throws(Errno) {
    try Self.succeedOr(.noSuchFileOrDirectory) { unlinkat(descriptor, name, 0) }
  }

  func rename(_ old: String, to new: String) throws(Errno) {
    _ = try Self.calling { renameat(descriptor, old, descriptor, new) }.get()
  }

  /// Returns the status of the file `name` in this directory, or of the link if it is one.
  func status(of name: String) throws(Errno) -> Status {
    var found = stat()
    _ = try Self.calling { fstatat(descriptor, name, &found, AT_SYMLINK_NOFOLLOW) }.get()
    return Status(found)
  }

  /// The names in this directory, in no order.
  func names() throws(Errno) -> [String] {
    let copy = try Self.opening { openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
      .get()
    guard let stream = fdopendir(copy) else {
      close(copy)
      throw Errno.noMemory
    }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { names.append(String(cString: $0)) }
      }
    }
    return names
  }

  /// Takes the lock of this directory. Nobody can take it through another descriptor meanwhile.
  ///
  /// The kernel releases the lock when the process ends. Returns false if the directory is locked
  /// through another descriptor.
  func lock() throws(Errno) -> Bool {
    switch Self.calling({ flock(descriptor, LOCK_EX | LOCK_NB) }) {
    case .success: true
    case .failure(.wouldBlock): false
    case .failure(let errno): throw errno
    }
  }

  func unlock() {
    flock(descriptor, LOCK_UN)
  }

  /// The free and the total bytes of the file system, as an ordinary user can use them.
  func space() throws(Errno) -> FreeSpace.Look {
    var found = statvfs()
    _ = try Self.calling { fstatvfs(descriptor, &found) }.get()
    func bytes(_ blocks: UInt) -> Int {
      let (bytes, overflow) = blocks.multipliedReportingOverflow(by: found.f_frsize)
      return overflow ? Int.max : Int(clamping: bytes)
    }
    return FreeSpace.Look(free: bytes(found.f_bavail), total: bytes(found.f_blocks))
  }
}
