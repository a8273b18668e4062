package import SystemPackage

/// Opens log files. They must be regular files of this user, in a folder that no other user can
/// write.
package enum LogFile {
  /// Opens the file `name` in `folder` for writing at its end. Makes the folder and the file if
  /// they are missing. If the file has any bytes, and `room` more would make it longer than
  /// `maxBytes`, it is renamed to `NAME.1` first, and a new file is made.
  package static func open(
    _ name: String, in folder: FilePath, maxBytes: Int, room: Int = 0
  ) throws(StorageError) -> FileDescriptor {
    let folder = try Folder(at: folder, create: true)
    do throws(Errno) {
      var file = try ours(name, in: folder.file)
      let size = try file.status().size
      if size > 0, size + room > maxBytes {
        try folder.file.rename(name, to: name + ".1")
        file = try ours(name, in: folder.file)
      }
      return try file.duplicate()
    } catch .tooManySymbolicLinkLevels, .fileExists, .noSuchAddressOrDevice {
      throw .notOurs(folder.path(of: name), .noFile)
    } catch {
      throw StorageError(error, at: folder.path(of: name))
    }
  }

  private static func ours(_ name: String, in folder: any DiskFolder) throws(Errno) -> any DiskFile
  {
    let file = try folder.open(name, for: .append)
    let status = try file.status()
    guard status.isRegular, status.owner == effectiveUser, status.links == 1 else {
      throw Errno.fileExists
    }
    return file
  }
}
