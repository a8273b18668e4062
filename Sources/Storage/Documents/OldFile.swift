import Locks
package import SystemPackage

/// A file that was set aside because its format is too old to be read.
///
/// A feedfs that finds a file of an older format renames it to `NAME.old`, and goes on without it.
/// The renamed file no longer counts as a part of the cache. `feedfs cache list` shows it, and
/// `feedfs cache prune` removes it.
package struct OldFile: Hashable, Sendable {
  static let ending = ".old"

  package let name: String
  /// The bytes that the file takes up on the disk.
  package let bytes: Int
  /// The time of the file's last change, in seconds since 1970.
  package let modified: Int

  /// Returns the old files in a directory, sorted by name; none if the directory cannot be read.
  package static func all(in directory: FilePath) -> [OldFile] {
    guard let folder = try? File(directory: directory) else { return [] }
    return ((try? folder.names()) ?? []).filter { $0.hasSuffix(ending) }.sorted().compactMap {
      name in
      guard let status = try? folder.status(of: name), status.isRegular else { return nil }
      return OldFile(
        name: name, bytes: status.storedBytes, modified: File.Date.seconds(of: status.modified))
    }
  }

  /// Removes the file from its directory; returns whether it is gone.
  package func remove(from directory: FilePath) -> Bool {
    (try? File(directory: directory).remove(name)) != nil
  }
}

extension Folder {
  /// Renames the file `name`, which is of an older format, to `NAME.old`, and reports that. An
  /// earlier `NAME.old` is replaced.
  func setAside(_ name: String) {
    guard (try? file.rename(name, to: name + OldFile.ending)) != nil else { return }
    tell(.older, path(of: name))
  }
}

extension Disk {
  /// Returns this disk, which calls `tell` for files of another format. A file of an older format
  /// is set aside, and `tell` is called each time. A file of a later format stays, and `tell` is
  /// called once for its path.
  package func telling(_ tell: @escaping @Sendable (OtherFormat, FilePath) -> Void) -> Disk {
    let met = Locked<Set<FilePath>>([])
    return Disk(timer: timer) { [open] path, create throws(StorageError) in
      var folder = try open(path, create)
      folder.tell = { format, file in
        guard format == .older || met.withLock({ $0.insert(file).inserted }) else { return }
        tell(format, file)
      }
      return folder
    }
  }
}
