package import Blocks
import Locks
import SystemPackage

/// The cached blocks of one version: `<hash>.data`, sparse, and `<hash>.idx`.
///
/// New bytes go into memory first (`RecentBytes`). A moment later `Writer` writes them to the
/// files: first the bytes, then the checksum, then the bit of the block. So a set bit is right
/// after `kill -9` at any instant. After a power cut it can be wrong. So blocks that an unclean
/// stop left are compared with their checksums before the first use. A hole in the file is never
/// lent.
///
/// Threads: only one thread at a time is allowed to call `write`. Any thread is allowed to lend and
/// drop. `state` has all knowledge about the blocks. Its lock is never held during a call to the
/// disk or to a reader. A thread that writes to the disk holds `writing`. A thread that flushes or
/// closes holds `flushing` while the disk works, and takes `writing` for parts of that. The thread
/// that calls `write` waits for neither lock. A reader waits for `flushing` only when it is the
/// first to compare the blocks that an earlier process left.
package final class EntryFile: Sendable {
  package let layout: BlockLayout
  package let representation: Representation
  /// The content type of the first HTTP answer with bytes of this version; nil if it had none.
  package let contentType: String?

  let path: FilePath
  let data: any DiskFile
  let mapping: Mapping?  // nil: the file is empty
  let index: IndexFile
  let header: IndexHeader
  let isWritable: Bool
  let flusher: Flusher
  let writer: Writer
  private let recentMemory: RecentMemory
  let owner = RecentMemory.Owner()
  private let memory: MappedMemory
  let buffers: CopyBuffers
  let state: Locked<EntryState>
  /// The closure that `rescueBlocks` has set; nil if none is set.
  let rescue = Locked<(@Sendable (EntryFile, [BlockIndex], StorageError) -> Void)?>(nil)
  let flushing = Lock()
  let writing = Lock()

  init(
    _ files: EntryFiles, at path: FilePath, header: IndexHeader, state: EntryState,
    flusher: Flusher, writer: Writer, recentMemory: RecentMemory, memory: MappedMemory,
    buffers: CopyBuffers, epoch: UInt64
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
    self.writer = writer
    self.recentMemory = recentMemory
    self.memory = memory
    self.buffers = buffers
    var state = state
    if state.own.noted == nil {
      state.own = OwnChanges(noted: try? files.data.glance(opens: true))
    }
    self.state = Locked(state)
    owner.file = self
    if !state.unflushed.isEmpty { flusher.wrote(to: self) }
  }

  deinit {
    // `memory` must not keep the mapping alive, because a removed file keeps its disk space as long
    // as it is mapped.
    if let mapping { memory.forget(mapping) }
  }

  /// A copy of the set of complete blocks. A caller must not keep it for long, because then the
  /// next write must copy the bitmap.
  package var cachedBlocks: BlockSet {
    state.withLock { $0.cachedBlocks }
  }

  /// The number of bytes in complete blocks.
  package var cachedByteCount: Int {
    cachedBlocks.bytes(in: layout)
  }

  /// True if every complete block is known to be on the disk.
  package var isFlushed: Bool {
    state.withLock { $0.isFlushed }
  }

  /// Returns the CRC32C of a cached block; nil if it is not cached, or cannot be read.
  package func checksum(of block: BlockIndex) -> UInt32? {
    let (isCached, pending) = state.withLock { state in
      (
        state.cachedBlocks.contains(block),
        state.pending.contains(block) ? state.checksum(of: block) : nil
      )
    }
    guard isCached else { return nil }
    return pending ?? (try? index.checksum(of: block))
  }

  // MARK: Writing

  /// Makes `bytes` readable at once. Complete blocks are written to the disk a moment later. Only
  /// one thread at a time is allowed to call this. It waits only if there is no memory for the
  /// bytes, and then for at most a second.
  ///
  /// The bytes of one block must come in order. Bytes at the start of a block begin it again. Other
  /// bytes must continue exactly after the last byte that came of the block. Otherwise this throws
  /// `StorageError.outOfOrder` and changes nothing in the block. After a failed flush it can also
  /// throw `outOfOrder` for a block that was begun before. Bytes of cached blocks are ignored. On
  /// any error, the blocks before the failed one stay.
  package func write(_ bytes: RawSpan, at offset: Int) throws(StorageError) {
    guard offset >= 0, bytes.byteCount <= layout.length - offset else {
      throw .outOfOrder(offset: offset)
    }
    guard isWritable else { throw .unwritable(path, .readOnlyFileSystem) }
    var done = 0
    while done < bytes.byteCount {
      let block = layout.block(at: offset + done)
      let end = min(layout.bytes(of: block).upperBound - offset, bytes.byteCount)
      try take(bytes.extracting(done..<end), at: offset + done, in: block)
      done = end
    }
  }

  /// Throws the error of the writer's last write if that failed. The caller of `write` then puts
  /// the bytes elsewhere. Does not throw if no bytes of other blocks of this file wait for the
  /// writer. Then the write of `block` tests whether the disk works again.
  private func mayBegin(_ block: BlockIndex) throws(StorageError) {
    guard let trouble = writer.trouble else { return }
    if state.withLock({ $0.hasBytesOnTheirWay(besides: block) }) { throw trouble }
  }

  /// Copies `piece` into memory. It is a piece of `block` and begins at `offset`.
  private func take(
    _ piece: RawSpan, at offset: Int, in block: BlockIndex
  ) throws(StorageError) {
    while true {
      switch state.withLock({ $0.step(offset, in: block) }) {
      case .cached: return
      case .retired: throw .closed(path)
      case .outOfOrder: throw .outOfOrder(offset: offset)
      case .needsMemory:
        let extent = try extent(for: block)
        state.withLock { $0.add(extent, for: block) }
      case .next(let before, let extent):
        if before.count == 0 { try mayBegin(block) }
        extent.copy(piece, to: offset)
        var after = before
        after.checksum.update(piece)
        after.count += piece.byteCount
        let (isCopied, isWhole) = state.withLock { [after] state in
          let isCopied = state.copied(
            after, following: before, at: offset, in: block, to: extent)
          return (isCopied, state.pending.contains(block))
        }
        guard isCopied else { continue }
        guard isWhole else { return }
        writer.wrote(to: self)
        return flusher.wrote(to: self)
      }
    }
  }

  /// Returns memory for `block`. Can wait until the disk has taken older bytes.
  private func extent(for block: BlockIndex) throws(StorageError) -> RecentExtent {
    let number = RecentExtent.number(of: block)
    let extent = writer.room(in: recentMemory) {
      recentMemory.take(number, of: self, owner, blockSize: layout.blockSize)
    }
    guard let extent else { throw .slow(path) }
    return extent
  }

  /// Forgets `blocks`, because their bytes are wrong or belong to another version. For any thread.
  package func drop(_ blocks: Range<BlockIndex>) {
    drop(blocks) { _ in true }
  }

  /// Forgets `blocks` if `condition` returns true for the state right before that. It can be long
  /// after the call, because the clean mark must be removed from the disk first.
  func drop(_ blocks: Range<BlockIndex>, if condition: (EntryState) -> Bool) {
    // The clean mark must be removed from the disk first. Otherwise it would match the bitmap again
    // once the cleared bits are set again, although the bytes may differ by then.
    if (try? clearCleanMark(durably: true)) == nil { state.withLock { $0.isRetired = true } }
    guard
      let words = state.withLock({ condition($0) ? $0.drop(blocks) : nil })
    else { return }
    try? store(words: words)  // if this fails, the checksums show later that the blocks are wrong
  }

  /// Returns the bytes that came of `block` and forgets them, so that the caller can put them
  /// elsewhere. The block must be incomplete, or only in memory. Returns nil if bytes of it are
  /// only on the disk and cannot be read.
  package func takeBack(_ block: BlockIndex) -> [UInt8]? {
    let start = layout.bytes(of: block).lowerBound
    let count = state.withLock { state in
      state.pending.contains(block)
        ? state.layout.bytes(of: block).count : state.begun(of: block)
    }
    let bytes = count > 0 ? copy(of: start..<start + count) : []
    state.withLock { $0.abandon(block) }
    return bytes
  }

  // MARK: Lending

  /// Lends `range`, cut at the end of the version, to `body`, which must let only the kernel read
  /// the memory, by a system call. The caller must have called `isAtHand` right before, because
  /// this does not check whether another program has changed the file. For any thread. Flushed
  /// bytes are lent from the mapping, without a copy.
  ///
  /// Bytes of incomplete blocks are lent as well. `body` returns false if the kernel could not read
  /// the memory (EFAULT). Then the blocks of `range` are dropped.
  package func lend(_ range: ByteRange, to body: (RawSpan) -> Bool) -> Loan {
    let range = range.clamped(to: 0..<layout.length)
    let blocks = layout.blocks(touching: range)
    verify(blocks)
    let (missing, isDoubtful, recent) = state.withLock { state in
      let isDoubtful = state.isDoubtful(in: blocks)
      let recent = isDoubtful ? state.recent.extent(with: range, from: blocks.lowerBound) : nil
      return (state.missing(in: range), isDoubtful, recent)
    }
    guard missing.isEmpty else { return .lost(missing) }
    if let recent {
      recent.lend(range) { _ = body($0) }
      return .lent
    }
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

  /// Keeps both files open, so that they can be used after they are unlinked or renamed.
  func hold() {
    data.hold()
    index.file.hold()
  }

  /// Refuses every later write, because another process may soon own the files.
  func retire() {
    state.withLock { $0.isRetired = true }
  }
}
