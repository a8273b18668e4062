package import SystemPackage

/// Where a log is written: a regular file of ours, in a folder that nobody else may write.
package enum LogFile {
  /// Opens `name` in `folder` at its end, both made where they are missing; a file that is longer than
  /// `longest` bytes is put aside as `NAME.1`.
  package static func open(
    _ name: String, in folder: FilePath, longest: Int
  ) throws(StorageError) -> FileDescriptor {
    let folder = try Folder(at: folder, create: true)
    do throws(Errno) {
      if try length(of: name, in: folder.file) > longest {
        try folder.file.rename(name, to: name + ".1")
      }
      let file = try File(name, in: folder.file, for: .append)
      let status = try file.status()
      guard status.isRegular, status.owner == effectiveUser, status.links == 1 else {
        throw Errno.fileExists
      }
      return try file.duplicate()
    } catch .tooManySymbolicLinkLevels, .fileExists, .noSuchAddressOrDevice {
      throw .notOurs(folder.path(of: name), .noFile)
    } catch {
      throw StorageError(error, at: folder.path(of: name))
    }
  }

  private static func length(of name: String, in folder: File) throws(Errno) -> Int {
    do throws(Errno) {
      return try folder.status(of: name).size
    } catch .noSuchFileOrDirectory {
      return 0
    }
  }
}
