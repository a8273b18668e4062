package import Blocks
import NIOConcurrencyHelpers
import SystemPackage

/// The cached blocks of one representation: `<hash>.data`, sparse, and `<hash>.idx`.
///
/// A held bit is true under `kill -9` at any instant, since bytes, checksum and bit are written in
/// this order. After a power cut it may be wrong, so what an unclean stop left is compared with its
/// checksum before the first use. No byte that was not written is ever lent.
///
/// Threads: one thread at a time writes, any may lend and drop; what is known lies in `state`, whose
/// lock is a leaf and never held during a call to the disk or to a reader. `flushing` is taken by who
/// flushes or closes, and is held while the disk works: no reader and no writer ever waits for it.
package final class EntryFile: Sendable {
  package let layout: BlockLayout
  package let representation: Representation
  /// As first given for these bytes.
  package let contentType: String?

  let path: FilePath
  let data: any DiskFile
  let mapping: Mapping?  // nil: no byte to map
  let index: IndexFile
  let header: IndexHeader
  let isWritable: Bool
  let flusher: Flusher
  private let memory: MappedMemory
  let buffers: CopyBuffers
  let state: NIOLockedValueBox<EntryState>
  /// Of blocks that are not whole yet: more of them than is on the disk.
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
    // Else a file that is removed would keep its space for as long as it is mapped.
    if let mapping { memory.forget(mapping) }
  }

  /// The blocks that are whole. A copy: do not keep it, or the next write copies the bitmap.
  package var held: BlockSet {
    state.withLockedValue { $0.held }
  }

  /// Bytes of the blocks that are whole.
  package var heldBytes: Int {
    held.bytes(in: layout)
  }

  /// Whether every whole block is known to be on the disk.
  package var isFlushed: Bool {
    state.withLockedValue { $0.isFlushed }
  }

  /// The CRC32C of a held block; nil if it is not held, or the disk does not say.
  package func checksum(of block: BlockIndex) -> UInt32? {
    guard state.withLockedValue({ $0.held.contains(block) }) else { return nil }
    return try? index.checksum(of: block)
  }

  // MARK: Writing

  /// Puts `bytes` where readers find them at once, and on the disk by whole blocks; only on the
  /// writing thread.
  ///
  /// Within a block bytes come in order: they start it, which begins it anew, or go on exactly where it
  /// stopped; else this is `StorageError.outOfOrder` and nothing is changed. After a failed flush
  /// that is so for a block which was on its way. What is held already is left as it is. On any
  /// other error the blocks before the one that failed are written.
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

  /// Forgets `blocks` if `condition` holds when it comes to it: the disk may take its time before.
  func drop(_ blocks: Range<BlockIndex>, if condition: (EntryState) -> Bool) {
    // Bits that are cleared and set again would look like those of the clean mark, so it must be
    // gone from the disk before.
    if (try? unseal(durably: true)) == nil { state.withLockedValue { $0.isRetired = true } }
    guard
      let words = state.withLockedValue({ condition($0) ? $0.drop(blocks) : nil })
    else { return }
    gathered.withLockedValue { gathered in
      for block in blocks { gathered.remove(block) }
    }
    try? store(words: words)  // if it fails, the checksums find out
  }

  /// The blocks that are begun, and of which something is in memory alone; on the writing thread.
  package var gatheredBlocks: [BlockIndex] {
    gathered.withLockedValue { $0.blocks }
  }

  /// What came of `block`, which is not whole, and is not kept here any more: it goes on elsewhere. Nil:
  /// the disk does not give it back. Only on the writing thread.
  package func takeBack(_ block: BlockIndex) -> [UInt8]? {
    let start = layout.bytes(of: block).lowerBound
    let count = state.withLockedValue { $0.begun(of: block) }
    let bytes = count > 0 ? copy(of: start..<start + count) : []
    state.withLockedValue { $0.abandon(block) }
    gathered.withLockedValue { $0.remove(block) }
    return bytes
  }

  // MARK: Lending

  /// Hands `range`, cut at the end of the representation, to `body` as memory that only the kernel
  /// may read. For any thread; of what is on the disk nothing is copied and nothing allocated.
  ///
  /// What was written of a block that is not yet whole is lent as well. `body` answers false if the
  /// kernel could not read the memory (EFAULT): then the blocks are lost.
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

  /// Its files will lose their names: who has them goes on with them.
  func hold() {
    data.hold()
    index.file.hold()
  }

  /// Refuses every later write: the files may soon be another process's.
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

  /// Writes what was gathered of `block`. It stays over the disk while that is done and, of a block that
  /// is not whole, is let go of then.
  private func put(_ block: BlockIndex) throws(Errno) {
    guard let run = gathered.withLockedValue({ $0[block] }) else { return }
    try unseal(durably: false)
    try data.write(run.bytes, at: run.start)
    if run.range.upperBound < layout.bytes(of: block).upperBound {
      gathered.withLockedValue { $0.remove(block) }
    }
  }

  /// Notes what was written of `block`; when that is all of it, checksum and then bit.
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

  /// Compares those of `blocks` that an unclean stop left with their checksums, and drops the wrong.
  ///
  /// Over bytes that are read, not over the mapping, where a failing disk would be a SIGBUS.
  func verify(_ blocks: Range<BlockIndex>) {
    var rest = blocks
    while let block = state.withLockedValue({ $0.unverified.firstMember(in: rest) }) {
      rest = block.advanced(by: 1)..<blocks.upperBound
      if let checksum = provenChecksum(of: block) {
        state.withLockedValue { $0.verified(block, checksum) }
      } else {
        // Another thread may have found it too, and its bytes may have been fetched again since.
        drop(block..<rest.lowerBound) { $0.unverified.contains(block) }
      }
    }
  }

  /// The checksum of `block` if its bytes agree with it.
  func provenChecksum(of block: BlockIndex) -> UInt32? {
    let range = layout.bytes(of: block)
    guard let bytes = try? data.read(range.count, at: range.lowerBound), bytes.count == range.count,
      let stored = try? index.checksum(of: block)
    else { return nil }
    return CRC32C(of: bytes.span.bytes).value == stored ? stored : nil
  }
}

/// How a request to lend bytes ended.
package enum Loan: Hashable, Sendable {
  /// The bytes were handed on, and taken.
  case lent
  /// These blocks are not there, or no longer: they count as absent from now on.
  case lost([BlockIndex])
}
