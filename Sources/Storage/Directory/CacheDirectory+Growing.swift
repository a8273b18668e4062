package import Blocks
import SystemPackage

/// Turns the file of a growing body into the file of a version, once the length of the body is
/// proved.
extension CacheDirectory {
  /// Makes the bytes of `growing`, whose last byte has come, the bytes of the version
  /// `representation` of `key`. No byte is copied: the data file gets another name and a new index.
  /// Readers of `growing` can go on. Blocks on the disk.
  ///
  /// Throws if bytes are missing, or if the disk does not take the change. After such an error,
  /// `growing` can refuse further bytes, but it still has the bytes that came before.
  package func prove(
    _ growing: EntryFile, as key: EntryKey, _ representation: Representation, contentType: String?
  ) throws(StorageError) -> EntryFile {
    let name = key.fileName(representation, feedKey: feedKey)
    let header = IndexHeader(
      key: key, representation: representation,
      layout: BlockLayout(length: representation.length, blockSize: blockSize),
      contentType: contentType)
    growing.writeOutAll()
    let path = folder.path(of: name)
    guard header.fits, representation.length > 0, let old = growing.path.lastComponent?.string,
      let checksums = growing.checksums(of: header.layout)
    else { throw .outOfOrder(offset: representation.length) }
    let stem = String(old.dropLast(".data".count))
    remove(name)
    try names.holding(stem) { () throws(StorageError) in
      // If the body was cleared meanwhile, its file has lost its name.
      guard openFile(stem) === growing else { throw .closed(path) }
      growing.hold()
      growing.retire()
      do throws(Errno) {
        try rename(stem, to: name, header, checksums)
      } catch {
        throw StorageError(error, at: path)
      }
      _ = note(nil, as: stem)
    }
    let file = try open(key, representation, contentType: contentType, create: false)
    guard let file else { throw .closed(path) }
    return file
  }

  /// Removes `file` from the directory, unless it was removed or replaced already.
  package func remove(_ file: EntryFile) {
    guard let data = file.path.lastComponent?.string, data.hasSuffix(".data") else { return }
    let name = String(data.dropLast(".data".count))
    if openFile(name) === file { remove(name) }
  }

  /// Writes the new index, then renames the data file. An index without a data file counts as
  /// missing, so a kill between the two steps costs no byte of the body.
  private func rename(
    _ old: String, to name: String, _ header: IndexHeader, _ checksums: [UInt32]
  ) throws(Errno) {
    let index = IndexFile(
      try folder.file.open(name + ".idx", for: .create), header: header, epoch: epoch.value)
    try index.write(header)
    try index.write(checksums: checksums, from: BlockIndex(0))
    let cachedBlocks = BlockSet(header.layout.all)
    for word in cachedBlocks.words.indices {
      try index.write(word: cachedBlocks.word(at: word), at: word)
    }
    try folder.file.rename(old + ".data", to: name + ".data")
    removeFiles(old)
  }
}

extension EntryFile {
  /// Returns the checksum of each block of `layout`; nil if bytes are missing. The last block of
  /// `layout` can be shorter than the same block of this file.
  fileprivate func checksums(of layout: BlockLayout) -> [UInt32]? {
    var checksums: [UInt32] = []
    checksums.reserveCapacity(layout.count)
    for block in layout.all {
      let bytes = layout.bytes(of: block)
      if bytes.count == self.layout.bytes(of: block).count {
        guard let checksum = checksum(of: block) else { return nil }
        checksums.append(checksum)
      } else {
        guard let copy = copy(of: bytes) else { return nil }
        checksums.append(CRC32C(of: copy.span.bytes).value)
      }
    }
    return checksums
  }
}
