import Glibc
import SystemPackage
import TestSupport

/// A directory for one test; dropping the last reference removes it, even if the test failed.
final class TemporaryDirectory {
  let path: FilePath
  private(set) var mounts: [FilePath] = []

  init() {
    guard let folder = try? makeTemporaryFolder("storage") else {
      preconditionFailure("no temporary directory")
    }
    path = FilePath(folder)
  }

  deinit {
    for mount in mounts { umount2(mount.string, Int32(MNT_DETACH)) }
    Self.remove(path)
  }

  /// Mounts a small file system of `bytes` at `name`; nil if this process may not mount.
  func mountSmallDisk(_ name: String, bytes: Int, readOnly: Bool = false) -> FilePath? {
    let mount = path.appending(name)
    mkdir(mount.string, 0o700)
    guard Glibc.mount("tmpfs", mount.string, "tmpfs", 0, "size=\(bytes),mode=0700") == 0 else {
      return nil
    }
    mounts.append(mount)
    return mount
  }

  /// Makes a file system mounted by `mountSmallDisk` read-only.
  func makeReadOnly(_ mount: FilePath) -> Bool {
    Glibc.mount("tmpfs", mount.string, "tmpfs", UInt(MS_REMOUNT) | UInt(MS_RDONLY), "") == 0
  }

  static func names(in path: FilePath) -> [String] {
    guard let stream = opendir(path.string) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  static func remove(_ path: FilePath) {
    if unlink(path.string) == 0 { return }
    for name in names(in: path) { remove(path.appending(name)) }
    rmdir(path.string)
  }

  static func read(_ path: FilePath) throws -> [UInt8] {
    let file = try FileDescriptor.open(path, .readOnly)
    defer { try? file.close() }
    let size = try file.seek(offset: 0, from: .end)
    return try [UInt8](unsafeUninitializedCapacity: Int(size)) { buffer, count in
      count = try file.read(fromAbsoluteOffset: 0, into: UnsafeMutableRawBufferPointer(buffer))
    }
  }

  /// Replaces the contents of the file at `path`, in the same file.
  static func write(_ bytes: [UInt8], to path: FilePath) throws {
    let file = try FileDescriptor.open(
      path, .writeOnly, options: [.create, .truncate], permissions: [.ownerReadWrite])
    defer { try? file.close() }
    _ = try file.writeAll(toAbsoluteOffset: 0, bytes)
  }

  static func status(_ path: FilePath) -> stat {
    var found = stat()
    precondition(lstat(path.string, &found) == 0, "\(path) is missing")
    return found
  }
}
