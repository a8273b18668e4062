import NIOConcurrencyHelpers
package import SystemPackage

/// A small document that a crash at any instant leaves whole: the new one, or the one before.
///
/// ```
/// NAME             the newest
/// NAME.1           the one before
/// NAME.PID-N.new   one that is being written
/// ```
/// Mode 0600, in a directory of mode 0700. For any thread; writers wait for each other.
package final class SnapshotFile: Sendable {
  private struct State {
    /// Locked, while it is open.
    var held: Folder?
    /// The newest was refused by its reader, and must not push out the one before.
    var newestIsDamaged = false
    var count = 0
  }

  private let folder: FilePath
  private let name: String
  private let writing = NIOLock()
  private let state = NIOLockedValueBox(State())

  /// `folder` is made when the first document is written.
  package init(in folder: FilePath, name: String) {
    self.folder = folder
    self.name = name
  }

  /// Takes the folder's lock, for as long as this object lives or the process does: of several that
  /// number entries in one catalog each would forget what the others gave.
  ///
  /// - Throws: `inUse` where another has it, `notOurs` where the folder must not be used; nothing where
  ///   it cannot be made, since then nobody writes there.
  package func hold() throws(StorageError) {
    let folder: Folder
    do {
      folder = try Folder(at: self.folder, create: true)
    } catch {
      if case .notOurs = error { throw error }
      return
    }
    guard (try? folder.file.lock()) ?? true else { throw .inUse(folder.path, holder: nil) }
    state.withLockedValue { $0.held = folder }
  }

  /// Lets go of it.
  package func release() {
    state.withLockedValue { $0.held = nil }
  }

  /// Puts `bytes` in the place of the newest, and that in the place of the one before.
  package func write(_ bytes: [UInt8]) throws(StorageError) {
    try write(pieces: 1) { _ in bytes }
  }

  /// The same with a document that is made while it is written.
  ///
  /// - Parameters:
  ///   - pieces: how many there are.
  ///   - piece: called for each in turn.
  package func write(pieces: Int, piece: (Int) -> [UInt8]) throws(StorageError) {
    writing.lock()
    defer { writing.unlock() }
    let folder = try Folder(at: folder, create: true)
    do {
      try write(pieces, piece, in: folder.file)
    } catch {
      throw StorageError(error, at: folder.path(of: name))
    }
  }

  /// What `accept` makes of the newest document that it does not refuse by throwing; nil if there is
  /// none.
  package func read<Document>(accept: ([UInt8]) throws -> Document) throws(StorageError)
    -> Document?
  {
    try read(inPiecesOf: .max) { next in try accept(next() ?? []) }
  }

  /// The same with a document that is read piece by piece: `accept` asks for the next until there is none.
  package func read<Document>(
    inPiecesOf length: Int, accept: (_ next: () throws -> [UInt8]?) throws -> Document
  ) throws(StorageError) -> Document? {
    let folder: Folder
    do {
      folder = try Folder(at: self.folder, create: false)
    } catch .unwritable(_, .noSuchFileOrDirectory) {
      return nil
    }
    for candidate in [name, name + ".1"] {
      guard let (file, size) = try Self.file(candidate, in: folder) else { continue }
      var position = 0
      var failure: Errno?
      let document = try? accept {
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
      if let failure { throw StorageError(failure, at: folder.path(of: candidate)) }
      if let document { return document }
      if candidate == name { state.withLockedValue { $0.newestIsDamaged = true } }
    }
    return nil
  }

  private func write(
    _ pieces: Int, _ piece: (Int) -> [UInt8], in folder: any DiskFolder
  ) throws(Errno) {
    for leftover in try folder.names() where isTemporary(leftover) { try folder.remove(leftover) }
    let (number, isDamaged) = state.withLockedValue { state in
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
    state.withLockedValue { $0.newestIsDamaged = false }
  }

  private func keepNewest(in folder: any DiskFolder) throws(Errno) {
    do throws(Errno) {
      try folder.rename(name, to: name + ".1")
    } catch .noSuchFileOrDirectory {
      // The first document.
    }
  }

  /// A writer that was killed leaves its file; one that is alive fails to rename it, and says so.
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
