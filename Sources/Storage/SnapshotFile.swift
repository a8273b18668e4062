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
    writing.lock()
    defer { writing.unlock() }
    let folder = try Folder(at: folder, create: true)
    do {
      try write(bytes, in: folder.file)
    } catch {
      throw StorageError(error, at: folder.path(of: name))
    }
  }

  /// What `accept` makes of the newest document that it does not refuse by throwing; nil if there is
  /// none.
  package func read<Document>(accept: ([UInt8]) throws -> Document) throws(StorageError)
    -> Document?
  {
    let folder: Folder
    do {
      folder = try Folder(at: self.folder, create: false)
    } catch .unwritable(_, .noSuchFileOrDirectory) {
      return nil
    }
    for candidate in [name, name + ".1"] {
      guard let bytes = try Self.bytes(of: candidate, in: folder) else { continue }
      if let document = try? accept(bytes) { return document }
      if candidate == name { state.withLockedValue { $0.newestIsDamaged = true } }
    }
    return nil
  }

  private func write(_ bytes: [UInt8], in folder: any DiskFile) throws(Errno) {
    for leftover in try folder.names() where isTemporary(leftover) { try folder.remove(leftover) }
    let (number, isDamaged) = state.withLockedValue { state in
      state.count += 1
      return (state.count, state.newestIsDamaged)
    }
    let temporary = "\(name).\(processID)-\(number).new"
    do throws(Errno) {
      let file = try folder.open(temporary, for: .create)
      try file.write(bytes, at: 0)
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

  private func keepNewest(in folder: any DiskFile) throws(Errno) {
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

  private static func bytes(of name: String, in folder: Folder) throws(StorageError) -> [UInt8]? {
    do throws(Errno) {
      let file = try folder.file.open(name, for: .read)
      let status = try file.status()
      return status.isRegular ? try file.read(status.size, at: 0) : nil
    } catch .noSuchFileOrDirectory, .tooManySymbolicLinkLevels {
      return nil
    } catch {
      throw StorageError(error, at: folder.path(of: name))
    }
  }
}
