import Glibc
package import SystemPackage

/// A small text on the disk that several processes change, one after the other.
///
/// A process that is killed in the middle of a change may leave a part of the text. So each line has to
/// mean something by itself. The file has mode 0600, in a directory of mode 0700. For any thread.
package struct SharedText: Sendable {
  /// The most bytes that are read.
  private static let limit = 1 << 20

  private let disk: Disk
  private let folder: FilePath
  private let name: String

  /// Makes `folder` when the text is first changed.
  package init(in folder: FilePath, name: String, on disk: Disk = .real) {
    self.disk = disk
    self.folder = folder
    self.name = name
  }

  /// Replaces the text by the one that `body` makes of it; nil leaves it. No other process changes it
  /// meanwhile. Blocks on the disk, and on other processes for the time of their change.
  package func change(_ body: (String) -> String?) throws(StorageError) {
    let folder = try disk.open(folder, true)
    let path = folder.path(of: name)
    do {
      let file = try FileDescriptor.open(
        path, .readWrite, options: [.create, .closeOnExec, .noFollow],
        permissions: [.ownerReadWrite])
      try file.closeAfter {
        while flock(file.rawValue, LOCK_EX) != 0 {
          guard errno == EINTR else { throw Errno(rawValue: errno) }
        }
        let before = try Self.text(of: file)
        guard let text = body(before), text != before else { return }
        // A full disk must not cost the old text.
        let length = try file.writeAll(toAbsoluteOffset: 0, Array(text.utf8))
        guard ftruncate(file.rawValue, off_t(length)) == 0 else { throw Errno(rawValue: errno) }
      }
    } catch {
      throw StorageError(error as? Errno ?? .ioError, at: path)
    }
  }

  private static func text(of file: FileDescriptor) throws -> String {
    var bytes: [UInt8] = []
    while bytes.count < limit {
      let piece = try [UInt8](unsafeUninitializedCapacity: 64 << 10) { buffer, count in
        count = try file.read(fromAbsoluteOffset: Int64(bytes.count), into: .init(buffer))
      }
      if piece.isEmpty { break }
      bytes += piece
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
