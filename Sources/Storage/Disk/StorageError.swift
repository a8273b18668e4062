package import SystemPackage

/// The errors of the cache and state directories. For each case the user has to do something else.
///
/// None of these errors ends a running mount, because bytes are then cached in memory. Paths
/// contain hashes of addresses instead of addresses, so a message never shows a secret.
package enum StorageError: Error, Hashable, Sendable {
  /// The disk, or the user's quota, is full.
  case noSpace(FilePath)
  /// Another process has the directory of this feed locked. `holder` is its process id; nil if that
  /// could not be read.
  case inUse(FilePath, holder: Int?)
  /// The directory or file is not safe from changes by other users.
  case notOurs(FilePath, Distrust)
  /// The file or directory is missing or cannot be written.
  case unwritable(FilePath, Errno)
  /// The disk failed.
  case io(FilePath, Errno)
  /// The disk has not taken older bytes in time, so there is no memory for new bytes.
  case slow(FilePath)
  /// A later feedfs wrote the file, in another format.
  case newer(FilePath)
  /// The bytes neither start a block nor continue it, or they are outside the version.
  case outOfOrder(offset: Int)
  /// The cache directory was closed. Another process may have locked it by now.
  case closed(FilePath)

  /// The reason why a directory or file is refused.
  package enum Distrust: Hashable, Sendable {
    case noDirectory
    case noFile
    case ownedBy(user: UInt32)
    case writableByOthers
  }

  /// Maps the errno of a failed system call at `path`.
  init(_ errno: Errno, at path: FilePath) {
    self =
      switch errno {
      case .noSpace, .diskQuotaExceeded: .noSpace(path)
      case .permissionDenied, .notPermitted, .readOnlyFileSystem, .noSuchFileOrDirectory,
        .fileTooLarge, .fileNameTooLong, .notDirectory:
        .unwritable(path, errno)
      default: .io(path, errno)
      }
  }
}

extension StorageError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .noSpace(let path):
      "\(path): the disk is full; free some space, files are read uncached until then"
    case .inUse(let path, .some(let holder)):
      "this feed is mounted already, by process \(holder) (`feedfs status` tells where); unmount it or choose another --cache-dir (\(path))"
    case .inUse(let path, .none):
      "this feed is mounted already, by another process; unmount it or choose another --cache-dir (\(path))"
    case .notOurs(let path, .noDirectory):
      "\(path) is a symbolic link or not a directory; name the directory itself"
    case .notOurs(let path, .noFile):
      "\(path) is a link, or not a plain file of yours; remove it"
    case .notOurs(let path, .ownedBy(let user)):
      "\(path) belongs to user \(user); choose a directory of your own"
    case .notOurs(let path, .writableByOthers):
      "\(path) can be written by others; `chmod go-w \(path)`, or choose another directory"
    case .unwritable(let path, let errno):
      "\(path) cannot be written (\(errno)); check its owner, mode and file system"
    case .io(let path, let errno):
      "\(path): \(errno); check the disk, and the limits of `ulimit`"
    case .slow(let path):
      "\(path): the disk accepts no bytes; check it, files are read uncached until then"
    case .newer(let path):
      "\(path) was written by a later feedfs; use that version, or remove the file"
    case .outOfOrder(let offset):
      "the bytes at \(offset) of a cached file came out of order; feedfs must fetch the block again"
    case .closed(let path):
      "\(path): feedfs has closed this cache directory already; try again"
    }
  }
}
