package import Blocks
import NIOConcurrencyHelpers
import SystemPackage

/// The cached blocks of one version: `<hash>.data`, sparse, and `<hash>.idx`.
///
/// A set bit is right after `kill -9` at any instant, because bytes, checksum and bit are written
/// in this order. After a power cut a set bit may be wrong. So blocks that an unclean stop left are
/// compared with their checksums before the first use. Only bytes that were written are ever lent.
///
/// Threads: one thread at a time writes. Any thread may lend and drop. `state` has all knowledge
/// about the blocks. Its lock is a leaf, and is never held during a call to the disk or to a
/// reader. A thread that flushes or closes holds `flushing` while the disk works. No reader and no
/// writer ever waits for `flushing`.
package final class EntryFile: Sendable {
  package let layout: BlockLayout
  package let representation: Representation
  /// The content type that came with the first answer for these bytes.
  package let contentType: String?

  let path: FilePath
  let data: any DiskFile
  let mapping: Mapping?  // nil: the file is empty
  let index: IndexFile
  let header: IndexHeader
  let isWritable: Bool
  let flusher: Flusher
  private let memory: MappedMemory
  let buffers: CopyBuffers
  let state: NIOLockedValueBox<EntryState>
  /// The bytes of begun blocks that were not written to the disk yet.
  let gathered = NIOLockedValueBox(GatheredBlocks())
  let flushing = NIOLock()

  init(
    _ files: EntryFiles, at path: FilePath, header: IndexHeader, state: EntryState,
    flusher: Flusher, memory: MappedMemory, buffers: CopyBuffers, epoch: UInt64
  ) throws(StorageError) {
    do {
      mapping =
        header.layout.length == 0 ? nil : try files.data.mapped(header.layout.length)
    } catch {
      throw StorageError(error, at: path)
    }
    layout = header.layout
    representation = header.representation
    contentType = header.contentType
    self.path = path
    data = files.data
    index = IndexFile(files.index, header: header, epoch: epoch)
    isWritable = files.areWritable
    self.header = header
    self.flusher = flusher
    self.memory = memory
    self.buffers = buffers
    self.state = NIOLockedValueBox(state)
    if !state.unflushed.isEmpty { flusher.wrote(to: self) }
  }

  deinit {
    // The mapping must end here, because a removed file keeps its disk space as long as it is
    // mapped.
    if let mapping { memory.forget(mapping) }
  }

  /// The complete blocks, as a copy. A caller must not keep the copy, or the next write copies the
  /// bitmap.
  package var held: BlockSet {
    state.withLockedValue { $0.held }
  }

  /// Bytes of the complete blocks.
  package var heldBytes: Int {
    held.bytes(in: layout)
  }

  /// True if every complete block is known to be on the disk.
  package var isFlushed: Bool {
    state.withLockedValue { $0.isFlushed }
  }

  /// Returns the CRC32C of a cached block; nil if it is not cached, or cannot be read.
  package func checksum(of block: BlockIndex) -> UInt32? {
    guard state.withLockedValue({ $0.held.contains(block) }) else { return nil }
    return try? index.checksum(of: block)
  }

  // MARK: Writing

  /// Makes `bytes` readable at once, and writes them to the disk, mostly as complete blocks. Only
  /// the writing thread may call this.
  ///
  /// Bytes of one block must come in order. Bytes at its start begin the block anew. Other bytes
  /// must continue exactly where the block stopped. Otherwise this throws `StorageError.outOfOrder`
  /// and changes nothing. After a failed flush it also throws this for a block that had begun.
  /// Bytes of cached blocks are ignored. On any other error, the blocks before the failed one are
  /// written.
  package func write(_ bytes: RawSpan, at offset: Int) throws(StorageError) {
    guard offset >= 0, bytes.byteCount <= layout.length - offset else {
      throw .outOfOrder(offset: offset)
    }
    var done = 0
    while done < bytes.byteCount {
      let block = layout.block(at: offset + done)
      let end = min(layout.bytes(of: block).upperBound - offset, bytes.byteCount)
      try write(bytes.extracting(done..<end), at: offset + done, in: block)
      done = end
    }
  }

  /// Forgets `blocks`, because their bytes are wrong or belong to another version. For any thread.
  package func drop(_ blocks: Range<BlockIndex>) {
    drop(blocks) { _ in true }
  }

  /// Forgets `blocks` if `condition` is true at the time of the change. The disk may take long
  /// before that.
  func drop(_ blocks: Range<BlockIndex>, if condition: (EntryState) -> Bool) {
    // The clean mark must be gone from the disk first. If bits are cleared and set again, the
    // bitmap matches the mark again, which would then be wrong.
    if (try? clearCleanMark(durably: true)) == nil { state.withLockedValue { $0.isRetired = true } }
    guard
      let words = state.withLockedValue({ condition($0) ? $0.drop(blocks) : nil })
    else { return }
    gathered.withLockedValue { gathered in
      for block in blocks { gathered.remove(block) }
    }
    try? store(words: words)  // if this fails, the checksums detect it
  }

  /// The begun blocks that have bytes only in memory. Only the writing thread may ask.
  package var gatheredBlocks: [BlockIndex] {
    gathered.withLockedValue { $0.blocks }
  }

  /// Returns the bytes of the incomplete `block` and forgets them, so that another store can
  /// continue it. Returns nil if the disk does not return them. Only the writing thread may call
  /// this.
  package func takeBack(_ block: BlockIndex) -> [UInt8]? {
    let start = layout.bytes(of: block).lowerBound
    let count = state.withLockedValue { $0.begun(of: block) }
    let bytes = count > 0 ? copy(of: start..<start + count) : []
    state.withLockedValue { $0.abandon(block) }
    gathered.withLockedValue { $0.remove(block) }
    return bytes
  }

  // MARK: Lending

  /// Lends `range`, cut at the end of the version, to `body`. The lent memory may be read only by
  /// the kernel. For any thread. If the bytes are on the disk, this copies and allocates nothing.
  ///
  /// Bytes of incomplete blocks are lent as well. `body` returns false if the kernel could not read
  /// the memory (EFAULT). Then the blocks are lost.
  package func lend(_ range: ByteRange, to body: (RawSpan) -> Bool) -> Loan {
    let range = range.clamped(to: 0..<layout.length)
    let blocks = layout.blocks(touching: range)
    verify(blocks)
    let (missing, isDoubtful) = state.withLockedValue { state in
      (state.missing(in: range), !state.doubtful(in: blocks).isEmpty)
    }
    guard missing.isEmpty else { return .lost(missing) }
    guard let mapping, !range.isEmpty else {
      _ = body(RawSpan())
      return .lent
    }
    guard !isDoubtful else { return lendCopy(of: range) { _ = body($0) } }
    guard mapping.lend(range, to: body) else {
      drop(blocks)
      return .lost(Array(blocks))
    }
    memory.lent(range, of: mapping)
    return .lent
  }

  /// Keeps the files usable after they lose their names.
  func hold() {
    data.hold()
    index.file.hold()
  }

  /// Refuses every later write, because another process may soon own the files.
  func retire() {
    state.withLockedValue { $0.isRetired = true }
  }
}

extension EntryFile {
  // MARK: One block

  /// Writes the piece of `block` that begins at `offset`.
  private func write(
    _ piece: RawSpan, at offset: Int, in block: BlockIndex
  ) throws(StorageError) {
    guard isWritable else { throw .unwritable(path, .readOnlyFileSystem) }
    guard !state.withLockedValue({ $0.isRetired }) else { throw .closed(path) }
    let before: EntryState.Partial
    switch state.withLockedValue({ $0.admit(offset, in: block) }) {
    case .held: return
    case .outOfOrder: throw .outOfOrder(offset: offset)
    case .next(let partial): before = partial
    }
    var after = before
    after.checksum.update(piece)
    after.count += piece.byteCount
    let size = layout.bytes(of: block).count
    let excess = gathered.withLockedValue { gathered in
      gathered.append(piece, at: offset, of: block, size: size)
      return gathered.excess
    }
    do {
      if let excess { try put(excess) }
      if after.count == size { try put(block) }
      try commit(after, following: before, in: block)
    } catch {
      throw StorageError(error, at: path)
    }
    guard after.count == size else { return }
    gathered.withLockedValue { $0.remove(block) }
    flusher.wrote(to: self)
  }

  /// Writes the gathered bytes of `block`. They hide the bytes on the disk until they are written.
  /// After the write, the gathered bytes of an incomplete block are removed from memory.
  private func put(_ block: BlockIndex) throws(Errno) {
    guard let run = gathered.withLockedValue({ $0[block] }) else { return }
    try clearCleanMark(durably: false)
    try data.write(run.bytes, at: run.start)
    if run.range.upperBound < layout.bytes(of: block).upperBound {
      gathered.withLockedValue { $0.remove(block) }
    }
  }

  /// Notes written bytes of `block`. If the block is complete, this writes its checksum and then
  /// its bit.
  private func commit(
    _ after: EntryState.Partial, following before: EntryState.Partial, in block: BlockIndex
  ) throws(Errno) {
    let isWhole = after.count == layout.bytes(of: block).count
    if isWhole { try index.write(checksum: after.checksum.value, of: block) }
    guard state.withLockedValue({ $0.wrote(after, following: before, in: block) }), isWhole else {
      return
    }
    do {
      try store(words: [block.value >> 6])
    } catch {
      _ = state.withLockedValue { $0.drop(block..<block.advanced(by: 1)) }
      throw error
    }
  }

  /// Compares those of `blocks` that an unclean stop left with their checksums, and drops the wrong
  /// ones.
  ///
  /// It reads the file, not the mapping, because a failing disk would raise SIGBUS there.
  func verify(_ blocks: Range<BlockIndex>) {
    var rest = blocks
    while let block = state.withLockedValue({ $0.unverified.firstMember(in: rest) }) {
      rest = block.advanced(by: 1)..<blocks.upperBound
      if let checksum = provenChecksum(of: block) {
        state.withLockedValue { $0.verified(block, checksum) }
      } else {
        // Another thread may have found the wrong block, too, and it may have been fetched again
        // since.
        drop(block..<rest.lowerBound) { $0.unverified.contains(block) }
      }
    }
  }

  /// Returns the checksum of `block` if its bytes agree with it.
  func provenChecksum(of block: BlockIndex) -> UInt32? {
    let range = layout.bytes(of: block)
    guard let bytes = try? data.read(range.count, at: range.lowerBound), bytes.count == range.count,
      let stored = try? index.checksum(of: block)
    else { return nil }
    return CRC32C(of: bytes.span.bytes).value == stored ? stored : nil
  }
}

/// The result of a request to lend bytes.
package enum Loan: Hashable, Sendable {
  /// The bytes were lent, and taken.
  case lent
  /// These blocks are missing, or are lost from now on.
  case lost([BlockIndex])
}
