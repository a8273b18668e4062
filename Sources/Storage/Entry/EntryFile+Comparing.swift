import Blocks
import Locks
import SystemPackage

/// Compares blocks with their checksums before their use: blocks that an unclean stop left, and all
/// blocks once others have changed the data file.
extension EntryFile {
  /// Compares those of `blocks` that are not verified with their checksums, and drops the wrong
  /// ones.
  ///
  /// It reads the file, not the mapping. If the disk fails or others have cut the file, a read of
  /// the mapping would raise SIGBUS.
  func verify(_ blocks: Range<BlockIndex>) {
    guard state.withLock({ $0.unverified.firstMember(in: blocks) }) != nil else { return }
    forgetMemoryOfEarlierProcess()
    restoreSize()
    while let (block, doubts) = nextUnverified(in: blocks) {
      if let checksum = provenChecksum(of: block) {
        // If others have changed the file meanwhile, this does nothing, and the block is compared
        // once more.
        state.withLock { $0.verified(block, checksum, asOf: doubts) }
      } else {
        // If others have replaced the index, its checksums prove nothing. `storeHeader` forgets the
        // blocks that need them before it writes our header.
        if isWritable, isIndexOurs == false { try? storeHeader() }
        // Another thread may have dropped the block already, and it may have been fetched again
        // since.
        drop(block..<block.advanced(by: 1)) { $0.unverified.contains(block) }
      }
    }
  }

  private func nextUnverified(in blocks: Range<BlockIndex>) -> (BlockIndex, doubts: Int)? {
    state.withLock { state in
      state.unverified.firstMember(in: blocks).map { ($0, state.own.doubts) }
    }
  }

  /// Returns the checksum of `block` if its bytes agree with it, otherwise nil. A checksum in
  /// memory counts before that of the index, which others may have changed, too.
  func provenChecksum(of block: BlockIndex) -> UInt32? {
    let range = layout.bytes(of: block)
    guard let bytes = try? data.read(range.count, at: range.lowerBound), bytes.count == range.count,
      let stored = state.withLock({ $0.checksumInMemory(of: block) })
        ?? ownChecksum(of: block)
    else { return nil }
    return CRC32C(of: bytes.span.bytes).value == stored ? stored : nil
  }

  /// Returns the checksum of `block` in the index; nil if the index does not belong to this
  /// version. If others have replaced both files by those of another film, these would agree with
  /// each other.
  private func ownChecksum(of block: BlockIndex) -> UInt32? {
    isIndexOurs == true ? try? index.checksum(of: block) : nil
  }

  /// True if the index is that of this version; nil if it cannot be read.
  var isIndexOurs: Bool? {
    do {
      return try IndexFile.header(in: index.file)?.belongs(to: header) ?? false
    } catch {
      return nil
    }
  }

  /// Restores the size of a file that others have cut or made longer. Its bytes are compared
  /// afterwards: a hole agrees with no checksum but that of zeros.
  private func restoreSize() {
    guard isWritable, hasWrongSize else { return }
    writing.withLock {
      guard hasWrongSize else { return }
      try? changeData { () throws(Errno) in
        try data.extend(to: layout.length)
        try data.cut(to: layout.length)
      }
    }
  }

  private var hasWrongSize: Bool {
    state.withLock { state in
      !state.isRetired && state.own.noted.map { $0.size != layout.length } ?? false
    }
  }
}
