package import SystemPackage

/// An open directory that this user owns. Names are looked up in the open directory, so it can be
/// moved meanwhile.
struct Folder: Sendable {
  let path: FilePath
  let file: any DiskFolder
  /// Called for each file of another format, with its path. If the file was set aside, the path is
  /// that before it was renamed.
  var tell: @Sendable (OtherFormat, FilePath) -> Void = { _, _ in }

  /// Opens the directory at `path`. If `create` is true, makes missing directories along the path
  /// with mode 0700.
  ///
  /// Throws `notOurs` for a symbolic link, another user's directory, and a directory that others
  /// can write.
  init(at path: FilePath, create: Bool) throws(StorageError) {
    do throws(Errno) {
      if create { try Self.make(path) }
      file = try File(directory: path)
    } catch {
      throw Self.refusal(error, at: path)
    }
    self.path = path
    try check()
  }

  /// Opens or makes the directory `name` in `parent`. Throws `notOurs` as `init(at:create:)` does.
  init(_ name: String, in parent: Folder) throws(StorageError) {
    path = parent.path.appending(name)
    tell = parent.tell
    do throws(Errno) {
      do throws(Errno) {
        file = try parent.file.directory(name)
      } catch .noSuchFileOrDirectory {
        try parent.file.makeDirectory(name)
        file = try parent.file.directory(name)
      }
    } catch {
      throw Self.refusal(error, at: path)
    }
    try check()
  }

  /// Takes over the open directory `file`. Throws `notOurs` as `init(at:create:)` does.
  init(_ file: any DiskFolder, at path: FilePath) throws(StorageError) {
    self.file = file
    self.path = path
    try check()
  }

  /// The path of `name`, for messages.
  func path(of name: String) -> FilePath {
    path.appending(name)
  }

  private func check() throws(StorageError) {
    let status: File.Status
    do {
      status = try file.status()
    } catch {
      throw StorageError(error, at: path)
    }
    guard status.owner == effectiveUser else {
      throw .notOurs(path, .ownedBy(user: status.owner))
    }
    guard !status.isWritableByOthers else { throw .notOurs(path, .writableByOthers) }
  }

  private static func make(_ path: FilePath) throws(Errno) {
    do throws(Errno) {
      try File.makeDirectory(path)
    } catch {
      let parent = path.removingLastComponent()
      guard error == .noSuchFileOrDirectory, !parent.isEmpty, parent != path else { throw error }
      try make(parent)
      try File.makeDirectory(path)
    }
  }

  /// Returns the error for a failed opening. With O_NOFOLLOW and O_DIRECTORY, the kernel refuses a
  /// symbolic link with ENOTDIR or ELOOP.
  private static func refusal(_ errno: Errno, at path: FilePath) -> StorageError {
    switch errno {
    case .notDirectory, .tooManySymbolicLinkLevels: .notOurs(path, .noDirectory)
    default: StorageError(errno, at: path)
    }
  }
}

/// A directory for data that no other user can change.
package enum OwnDirectory {
  /// Makes the directory if it is missing; a failure to make it is ignored. Throws `notOurs` if the
  /// directory is a symbolic link, another user's, or writable by others.
  package static func check(_ path: FilePath) throws(StorageError) {
    do {
      _ = try Folder(at: path, create: true)
    } catch {
      if case .notOurs = error { throw error }
    }
  }

  /// True if the directory exists. Throws if it exists but is not safe or cannot be used.
  package static func isThere(_ path: FilePath) throws(StorageError) -> Bool {
    do {
      _ = try Folder(at: path, create: false)
      return true
    } catch .unwritable(_, .noSuchFileOrDirectory) {
      return false
    }
  }
}
