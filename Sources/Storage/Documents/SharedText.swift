import Glibc
package import SystemPackage

/// A small text on the disk that several processes change, one after the other.
///
/// A process that is killed in the middle of a change can leave a part of the text. So each line
/// must have a meaning without the others. The file has mode 0600, in a directory of mode 0700. For
/// any thread.
package struct SharedText: Sendable {
  /// The limit for the bytes of the text that are read.
  private static let limit = 1 << 20
  /// The limit for attempts to open the file. It must be opened again when another process has set
  /// it aside.
  private static let tries = 16

  private let folder: FilePath
  private let name: String
  private let format: Int
  private let disk: Disk

  /// Makes `folder` when the text is first changed.
  ///
  /// - Parameter format: the number of the format that is read. The text has the number of its
  ///   format in its first line: "feedfs NAME NUMBER".
  package init(in folder: FilePath, name: String, format: Int, on disk: Disk = .real) {
    self.folder = folder
    self.name = name
    self.format = format
    self.disk = disk
  }

  /// Replaces the text with the result of `body`, which gets the present text. If `body` returns
  /// nil, the text stays. No other process changes the text while `body` runs. Blocks on the disk,
  /// and while another process changes the text.
  ///
  /// - Throws: also `newer`, if a later feedfs wrote the text. Then the text stays as it is.
  package func change(_ body: (String) -> String?) throws(StorageError) {
    let folder = try disk.open(folder, true)
    for _ in 0..<Self.tries where try isChanged(in: folder, body) { return }
    throw StorageError(.ioError, at: folder.path(of: name))
  }

  /// Changes the text. Returns false if the file was set aside, so that it must be opened again.
  private func isChanged(
    in folder: Folder, _ body: (String) -> String?
  ) throws(StorageError) -> Bool {
    let path = folder.path(of: name)
    do {
      let file = try FileDescriptor.open(
        path, .readWrite, options: [.create, .closeOnExec, .noFollow],
        permissions: [.ownerReadWrite])
      return try file.closeAfter {
        while flock(file.rawValue, LOCK_EX) != 0 {
          guard errno == EINTR else { throw Errno(rawValue: errno) }
        }
        // Another process may have set the file aside before it released the lock.
        guard try isThere(file, at: path) else { return false }
        let before = try Self.text(of: file)
        switch OtherFormat(of: before, named: name, known: format) {
        case .older:
          folder.setAside(name)
          guard try !isThere(file, at: path) else { throw Errno.ioError }
          return false
        case .newer:
          folder.tell(.newer, path)
          throw StorageError.newer(path)
        case nil: break
        }
        guard let text = body(before), text != before else { return true }
        // The file is cut after the write, not before it: a full disk must not cost the old text.
        let length = try file.writeAll(toAbsoluteOffset: 0, Array(text.utf8))
        guard ftruncate(file.rawValue, off_t(length)) == 0 else { throw Errno(rawValue: errno) }
        return true
      }
    } catch {
      throw error as? StorageError ?? StorageError(error as? Errno ?? .ioError, at: path)
    }
  }

  /// Returns whether `path` still names the open file.
  private func isThere(_ file: FileDescriptor, at path: FilePath) throws(Errno) -> Bool {
    var (own, named) = (stat(), stat())
    guard fstat(file.rawValue, &own) == 0 else { throw Errno(rawValue: errno) }
    guard stat(path.string, &named) == 0 else {
      guard errno == ENOENT else { throw Errno(rawValue: errno) }
      return false
    }
    return own.st_ino == named.st_ino && own.st_dev == named.st_dev
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
