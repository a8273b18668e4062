package import SystemPackage

/// A directory that may be trusted with what nobody else is to change.
package enum OwnDirectory {
  /// Makes it where it is missing, if that can be; throws `notOurs` where it is a symbolic link,
  /// somebody else's, or open to others' writing.
  package static func check(_ path: FilePath) throws(StorageError) {
    do {
      _ = try Folder(at: path, create: true)
    } catch {
      if case .notOurs = error { throw error }
    }
  }

  /// Whether it is there; throws where it is, and must not be used or cannot be.
  package static func isThere(_ path: FilePath) throws(StorageError) -> Bool {
    do {
      _ = try Folder(at: path, create: false)
      return true
    } catch .unwritable(_, .noSuchFileOrDirectory) {
      return false
    }
  }
}
