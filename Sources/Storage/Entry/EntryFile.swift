package import Blocks
import NIOConcurrencyHelpers
import SystemPackage

/// The cached blocks of one version: `<hash>.data`, sparse, and `<hash>.idx`.
///
/// A set bit is true after `kill -9` at any instant, since bytes, checksum and bit are written in
/// this order. After a power cut it may be wrong, so blocks that an unclean stop left are compared
/// with their checksums before the first use. No byte that was not written is ever lent.
///
/// Threads: one thread at a time writes; any thread may lend and drop. All that is known is in
/// `state`, whose lock is a leaf and never held during a call to the disk or to a reader.
/// `flushing` is held by a thread that flushes or closes, while the disk works: no reader and no
/// writer ever waits for it.
package final class EntryFile: Sendable {
  package let layout: BlockLayout
  package let representation: Representation
  /// The type that was first given for these bytes.
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
  /// The begun blocks' bytes that were not written to the disk yet.
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
    // Otherwise a removed file would keep its disk space for as long as it is mapped.
    if let mapping { memory.forget(mapping) }
  }

  /// The complete blocks. A copy: do not keep it, or the next write copies the bitmap.
  package var held: BlockSet {
    state.withLockedValue { $0.held }
  }

  /// Bytes of the complete blocks.
  package var heldBytes: Int {
    held.bytes(in: layout)
  }

  /// Whether every complete block is known to be on the disk.
  package var isFlushed: Bool {
    state.withLockedValue { $0.isFlushed }
  }

  /// Returns the CRC32C of a cached block; nil if it is not cached, or cannot be read.
  package func checksum(of block: BlockIndex) -> UInt32? {
    guard state.withLockedValue({ $0.held.contains(block) }) else { return nil }
    return try? index.checksum(of: block)
  }

  // MARK: Writing

  /// Makes `bytes` readable at once, and writes them to the disk, mostly as complete blocks; only
  /// on the writing thread.
  ///
  /// Bytes of one block must come in order: they start it, which begins it anew, or continue
  /// exactly where it stopped. Otherwise this throws `StorageError.outOfOrder` and changes nothing;
  /// after a failed flush, that also happens to a block that had begun. Bytes of cached blocks are
  /// ignored. On any other error, the blocks before the failed one are written.
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

  /// Forgets `blocks`: their bytes are wrong, or of another version. For any thread.
  package func drop(_ blocks: Range<BlockIndex>) {
    drop(blocks) { _ in true }
  }

  /// Forgets `blocks` if `condition` still holds then: the disk may take its time before.
  func drop(_ blocks: Range<BlockIndex>, if condition: (EntryState) -> Bool) {
    // If bits are cleared and set again, the bitmap may match the clean mark, so the mark must be
    // gone from the disk first.
    if (try? clearCleanMark(durably: true)) == nil { state.withLockedValue { $0.isRetired = true } }
    guard
      let words = state.withLockedValue({ condition($0) ? $0.drop(blocks) : nil })
    else { return }
    gathered.withLockedValue { gathered in
      for block in blocks { gathered.remove(block) }
    }
    try? store(words: words)  // if this fails, the checksums detect it
  }

  /// The begun blocks with bytes that are only in memory; on the writing thread.
  package var gatheredBlocks: [BlockIndex] {
    gathered.withLockedValue { $0.blocks }
  }

  /// Returns the bytes of the incomplete `block` and forgets them: another store continues the
  /// block. Nil: the disk does not return them. Only on the writing thread.
  package func takeBack(_ block: BlockIndex) -> [UInt8]? {
    let start = layout.bytes(of: block).lowerBound
    let count = state.withLockedValue { $0.begun(of: block) }
    let bytes = count > 0 ? copy(of: start..<start + count) : []
    state.withLockedValue { $0.abandon(block) }
    gathered.withLockedValue { $0.remove(block) }
    return bytes
  }

  // MARK: Lending

  /// Lends `range`, cut at the end of the version, to `body`, as memory that only the kernel may
  /// read. For any thread. Copies and allocates nothing if the bytes are on the disk.
  ///
  /// Bytes of incomplete blocks are lent as well. `body` returns false if the kernel could not read
  /// the memory (EFAULT): then the blocks are lost.
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

  /// Keeps the files usable, which will lose their names.
  func hold() {
    data.hold()
    index.file.hold()
  }

  /// Refuses every later write: another process may soon own the files.
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

  /// Writes the gathered bytes of `block`. They hide the bytes on the disk until they are written;
  /// then those of an incomplete block are removed from memory.
  private func put(_ block: BlockIndex) throws(Errno) {
    guard let run = gathered.withLockedValue({ $0[block] }) else { return }
    try clearCleanMark(durably: false)
    try data.write(run.bytes, at: run.start)
    if run.range.upperBound < layout.bytes(of: block).upperBound {
      gathered.withLockedValue { $0.remove(block) }
    }
  }

  /// Notes written bytes of `block`; if it is complete, writes its checksum and then its bit.
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

  /// Compares `blocks` that an unclean stop left with their checksums; drops the wrong ones.
  ///
  /// Reads the bytes instead of the mapping, where a failing disk would raise SIGBUS.
  func verify(_ blocks: Range<BlockIndex>) {
    var rest = blocks
    while let block = state.withLockedValue({ $0.unverified.firstMember(in: rest) }) {
      rest = block.advanced(by: 1)..<blocks.upperBound
      if let checksum = provenChecksum(of: block) {
        state.withLockedValue { $0.verified(block, checksum) }
      } else {
        // Another thread may have found it too, and the block may have been fetched again since.
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
