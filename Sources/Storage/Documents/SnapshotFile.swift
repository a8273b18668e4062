import Locks
package import SystemPackage

/// A small document on the disk. After a crash at any instant, either the new document or the
/// previous one is there.
///
/// ```
/// NAME             the newest document
/// NAME.1           the previous one
/// NAME.old         one of an older format: OldFile
/// NAME.PID-N.new   a document that is being written
/// ```
/// The files have mode 0600, in a directory of mode 0700. For any thread. Writers wait for each
/// other.
package final class SnapshotFile: Sendable {
  private struct State {
    /// The folder with its lock; nil if this object does not have the lock.
    var locked: Folder?
    /// True if `accept` has refused the newest document. Then that must not become the previous
    /// one.
    var newestIsDamaged = false
    /// True if a later feedfs wrote a document. Then `write` must not replace it.
    var isNewer = false
    /// The number of documents written by this object, for the names of temporary files.
    var count = 0
  }

  private let disk: Disk
  private let folder: FilePath
  private let name: String
  private let writing = Lock()
  private let state = Locked(State())

  /// Makes `folder` when the first document is written.
  package init(in folder: FilePath, name: String, on disk: Disk = .real) {
    self.disk = disk
    self.folder = folder
    self.name = name
  }

  /// Takes the folder's lock until `release`, or until this object or the process ends. Without the
  /// lock, several processes could number the entries of one catalog, and each would overwrite the
  /// numbers of the others.
  ///
  /// - Throws: `inUse` if another process has the lock; `notOurs` if the folder belongs to another
  ///   user or other users can write to it. If the folder cannot be made, this throws nothing,
  ///   because then no process can write there.
  package func hold() throws(StorageError) {
    let folder: Folder
    do {
      folder = try disk.open(self.folder, true)
    } catch {
      if case .notOurs = error { throw error }
      return
    }
    guard (try? folder.file.lock()) ?? true else { throw .inUse(folder.path, holder: nil) }
    state.withLock { $0.locked = folder }
  }

  /// Releases the folder's lock.
  package func release() {
    state.withLock { $0.locked = nil }
  }

  /// Makes `bytes` the newest document. The newest document so far becomes the previous one. Writes
  /// nothing if `read` has found a document of a later feedfs.
  package func write(_ bytes: [UInt8]) throws(StorageError) {
    try write(pieces: 1) { _ in bytes }
  }

  /// Writes a document in pieces, otherwise like `write(_:)`. Each piece is made during the write.
  ///
  /// - Parameters:
  ///   - pieces: the number of pieces.
  ///   - piece: returns the bytes of the piece with the given number. The first number is 0.
  package func write(pieces: Int, piece: (Int) -> [UInt8]) throws(StorageError) {
    guard !state.withLock({ $0.isNewer }) else { return }
    writing.lock()
    defer { writing.unlock() }
    let folder = try disk.open(folder, true)
    do {
      try write(pieces, piece, in: folder.file)
    } catch {
      throw StorageError(error, at: folder.path(of: name))
    }
  }

  /// True if there is a document, whatever its contents. Also true if the disk cannot be read.
  package var exists: Bool {
    let folder: Folder
    do {
      folder = try disk.open(self.folder, false)
    } catch .unwritable(_, .noSuchFileOrDirectory) {
      return false
    } catch {
      return true
    }
    return [name, name + ".1"].contains { candidate in
      do { return try Self.file(candidate, in: folder) != nil } catch { return true }
    }
  }

  /// Returns the result of `accept` for the newest document that it accepts; nil if there is none.
  /// `accept` throws to refuse a document.
  ///
  /// If `accept` throws `OtherFormat.older`, the document is set aside. If it throws
  /// `OtherFormat.newer`, the document stays, and later calls of `write` do nothing.
  package func read<Document>(accept: ([UInt8]) throws -> Document) throws(StorageError)
    -> Document?
  {
    try read(inPiecesOf: .max) { next in try accept(next() ?? []) }
  }

  /// Reads the document in pieces of `length` bytes, otherwise like `read(accept:)`. `accept` calls
  /// `next` for each piece, until `next` returns nil.
  package func read<Document>(
    inPiecesOf length: Int, accept: (_ next: () throws -> [UInt8]?) throws -> Document
  ) throws(StorageError) -> Document? {
    let folder: Folder
    do {
      folder = try disk.open(self.folder, false)
    } catch .unwritable(_, .noSuchFileOrDirectory) {
      return nil
    }
    for candidate in [name, name + ".1"] {
      guard let (file, size) = try Self.file(candidate, in: folder) else { continue }
      var position = 0
      var failure: Errno?
      do {
        return try accept {
          guard position < size else { return nil }
          do throws(Errno) {
            let piece = try file.read(min(length, size - position), at: position)
            position = piece.isEmpty ? size : position + piece.count
            return piece
          } catch {
            failure = error
            throw error
          }
        }
      } catch {
        if let failure { throw StorageError(failure, at: folder.path(of: candidate)) }
        switch error as? OtherFormat {
        case .older:
          folder.setAside(candidate)
          continue
        case .newer:
          state.withLock { $0.isNewer = true }
          folder.tell(.newer, folder.path(of: candidate))
          return nil
        case nil: break
        }
      }
      if candidate == name { state.withLock { $0.newestIsDamaged = true } }
    }
    return nil
  }

  private func write(
    _ pieces: Int, _ piece: (Int) -> [UInt8], in folder: any DiskFolder
  ) throws(Errno) {
    for leftover in try folder.names() where isTemporary(leftover) { try folder.remove(leftover) }
    let (number, isDamaged) = state.withLock { state in
      state.count += 1
      return (state.count, state.newestIsDamaged)
    }
    let temporary = "\(name).\(processID)-\(number).new"
    do throws(Errno) {
      let file = try folder.open(temporary, for: .create)
      var length = 0
      for number in 0..<pieces {
        let bytes = piece(number)
        try file.write(bytes, at: length)
        length += bytes.count
      }
      try file.sync()
      if !isDamaged { try keepNewest(in: folder) }
      try folder.rename(temporary, to: name)
      try folder.sync()
    } catch {
      try? folder.remove(temporary)
      throw error
    }
    state.withLock { $0.newestIsDamaged = false }
  }

  private func keepNewest(in folder: any DiskFolder) throws(Errno) {
    do throws(Errno) {
      try folder.rename(name, to: name + ".1")
    } catch .noSuchFileOrDirectory {
      // There is no newest document yet, so none becomes the previous one.
    }
  }

  /// True if `other` is the name of a temporary file of this document. Most are left from killed
  /// writers, and are removed. If a live writer uses the file, that writer then fails to rename it,
  /// and throws.
  private func isTemporary(_ other: String) -> Bool {
    other.hasPrefix(name + ".") && other.hasSuffix(".new")
  }

  private static func file(
    _ name: String, in folder: Folder
  ) throws(StorageError) -> (file: any DiskFile, size: Int)? {
    do throws(Errno) {
      let file = try folder.file.open(name, for: .read)
      let status = try file.status()
      return status.isRegular ? (file, status.size) : nil
    } catch .noSuchFileOrDirectory, .tooManySymbolicLinkLevels {
      return nil
    } catch {
      throw StorageError(error, at: folder.path(of: name))
    }
  }
}
