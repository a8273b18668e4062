import Blocks
import Locks
import SystemPackage

/// Compares blocks with their checksums before they are used. This concerns the blocks that an
/// unclean stop left, and all blocks after another program has changed the data file.
extension EntryFile {
  /// Compares each block of `blocks` that is not verified with its checksum, and drops the blocks
  /// that do not agree.
  ///
  /// It reads the file, not the mapping. If the disk fails, or if another program has cut the file,
  /// a read of the mapping would raise SIGBUS.
  func verify(_ blocks: Range<BlockIndex>) {
    guard state.withLock({ $0.unverified.firstMember(in: blocks) }) != nil else { return }
    forgetMemoryOfEarlierProcess()
    restoreSize()
    while let (block, doubts) = nextUnverified(in: blocks) {
      if let checksum = provenChecksum(of: block) {
        // If another program has changed the file meanwhile, `verified` does nothing, and the loop
        // compares the block once more.
        state.withLock { $0.verified(block, checksum, asOf: doubts) }
      } else {
        // If another program has replaced the index, its checksums prove nothing. Then
        // `storeHeader` forgets the blocks that have no other checksum, and writes the header of
        // this version again.
        if isWritable, isIndexOurs == false { try? storeHeader() }
        // The block is dropped only if it is still not verified. Another thread can have dropped it
        // already, and its bytes can have been fetched again since.
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
  /// memory is preferred to that of the index, because another program can have changed the index,
  /// too.
  func provenChecksum(of block: BlockIndex) -> UInt32? {
    let range = layout.bytes(of: block)
    guard let bytes = try? data.read(range.count, at: range.lowerBound), bytes.count == range.count,
      let stored = state.withLock({ $0.checksumInMemory(of: block) })
        ?? ownChecksum(of: block)
    else { return nil }
    return CRC32C(of: bytes.span.bytes).value == stored ? stored : nil
  }

  /// Returns the checksum of `block` in the index; nil if the index does not belong to this
  /// version. If another program has replaced both files by those of another version, their bytes
  /// and checksums would agree.
  private func ownChecksum(of block: BlockIndex) -> UInt32? {
    isIndexOurs == true ? try? index.checksum(of: block) : nil
  }

  /// True if the index on the disk is that of this version; nil if it cannot be read.
  var isIndexOurs: Bool? {
    do {
      return try IndexFile.header(in: index.file)?.belongs(to: header) ?? false
    } catch {
      return nil
    }
  }

  /// Restores the size of a data file that another program has cut or made longer. The caller
  /// compares the blocks after that. A hole that `extend` made reads as zeros, so it does not agree
  /// with the block's checksum.
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
