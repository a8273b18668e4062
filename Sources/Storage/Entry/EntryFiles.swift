import Blocks
import SystemPackage

/// The two open files of a version, whose contents are not read yet.
struct EntryFiles: Sendable {
  let data: any DiskFile
  let index: any DiskFile
  let areWritable: Bool

  /// Opens the files under `name`. If they cannot be written, opens them only for reading. Returns
  /// nil if one of them is missing, or is not a regular file of this user.
  static func existing(_ name: String, in folder: Folder) throws(Errno) -> Self? {
    do throws(Errno) {
      return try existing(name, in: folder, for: .write)
    } catch .permissionDenied, .readOnlyFileSystem, .notPermitted {
      return try existing(name, in: folder, for: .read)
    }
  }

  /// The endings of the files of one version, in the order of removal. The index is first, because
  /// the other files count as missing without it.
  static let endings = [".idx", ".data", SuspectRanges.ending]

  /// Makes new, empty files in the place of any old ones.
  ///
  /// Old files are unlinked, but not changed, because they may be mapped.
  static func fresh(
    _ name: String, in folder: Folder, header: IndexHeader
  ) throws(Errno) -> Self {
    for ending in endings { try folder.file.remove(name + ending) }
    do throws(Errno) {
      let data = try pooled(name + ".data", in: folder, for: .create)
      try data.extend(to: header.layout.length)
      let index = try pooled(name + ".idx", in: folder, for: .create)
      try index.write(header.encoded, at: 0)
      return Self(data: data, index: index, areWritable: true)
    } catch {
      try? folder.file.remove(name + ".idx")
      try? folder.file.remove(name + ".data")
      throw error
    }
  }

  /// Returns the header of the index, and the state of the blocks. Returns nil if the index is
  /// damaged or does not belong to `wanted`.
  func load(
    matching wanted: IndexHeader, epoch: UInt64
  ) throws(Errno) -> (IndexHeader, EntryState)? {
    guard let header = try IndexFile.header(in: index), header.belongs(to: wanted) else {
      return nil
    }
    let layout = header.layout
    let file = IndexFile(index, header: header, epoch: epoch)
    let stored = try file.cachedBlocks()
    guard let seen = try data.glance(opens: true) else { return nil }
    let size = seen.size
    // Bytes beyond the end of the version must be cut off, because the kernel would give them to
    // readers in passthrough.
    if size > layout.length {
      guard areWritable else { return nil }
      try data.cut(to: layout.length)
    }
    if areWritable { try data.extend(to: layout.length) }

    var cachedBlocks = stored
    if size < layout.length { cachedBlocks.remove(layout.block(at: size)..<layout.all.upperBound) }
    let isTrusted =
      size == layout.length
      && header.cleanMark.map { mark in
        mark.checksum == file.cleanMark(of: stored) && mark.data == seen
      } ?? false
    // Bytes that an earlier process wrote may be only in the page cache, so this process must flush
    // them.
    let mayBeUnflushed = areWritable && !isTrusted
    let state = EntryState(
      layout: layout, cachedBlocks: cachedBlocks, unverified: isTrusted ? BlockSet() : cachedBlocks,
      unflushed: mayBeUnflushed ? cachedBlocks : BlockSet(), cleanMark: header.cleanMark,
      own: OwnChanges(noted: size == layout.length ? seen : nil))
    return (header, state)
  }

  static func existing(
    _ name: String, in folder: Folder, for access: File.Access
  ) throws(Errno) -> Self? {
    guard let data = try plainFile(name + ".data", in: folder, for: access),
      let index = try plainFile(name + ".idx", in: folder, for: access)
    else { return nil }
    return Self(data: data, index: index, areWritable: access == .write)
  }

  private static func pooled(
    _ name: String, in folder: Folder, for access: File.Access
  ) throws(Errno) -> PooledFile {
    try PooledFile(name, in: folder.file, for: access, of: .ofProcess)
  }

  /// Opens the file `name`. Returns nil if it is missing, a symbolic link or not a regular file, if
  /// it belongs to another user, or if it has a second hard link.
  private static func plainFile(
    _ name: String, in folder: Folder, for access: File.Access
  ) throws(Errno) -> (any DiskFile)? {
    do throws(Errno) {
      let file = try pooled(name, in: folder, for: access)
      let status = try file.status()
      let isOurs = status.isRegular && status.links == 1 && status.owner == effectiveUser
      return isOurs ? file : nil
    } catch .noSuchFileOrDirectory, .tooManySymbolicLinkLevels, .noSuchAddressOrDevice,
      .isDirectory
    {
      return nil
    }
  }
}
