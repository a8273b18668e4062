package import Blocks
import Locks
import SystemPackage

/// Brings bytes from memory to the data file and the index. This is the work of `Writer`, and of
/// callers that need it done at once.
extension EntryFile: RecentFile {
  /// Writes all complete blocks that are only in memory, and returns when they are in the file. For
  /// any thread that may block on the disk.
  ///
  /// If the disk does not take a block, this throws. The block goes to the call of `rescueBlocks`,
  /// and is forgotten.
  package func writeOut() throws(StorageError) {
    try writeOut(withBegun: false)
  }

  func writeOutAll() {
    try? writeOut(withBegun: true)
  }

  func giveUp(_ number: Int, at address: UInt) -> Bool {
    // The extent is freed after the lock is released.
    let gone: RecentExtent? = state.withLock { state in
      guard let extent = state.recent.extent(number), extent.address == address else { return nil }
      return state.giveUp(extent) ? extent : nil
    }
    return gone != nil
  }

  /// The number of bytes that are only in memory, of complete and of begun blocks.
  var pendingBytes: Int {
    state.withLock { $0.recent.unwritten }
  }

  /// Sets `call`, which gets the blocks that could not be written, complete or begun, and the
  /// error. It runs on the thread that writes. Their bytes are only in memory, and `takeBack`
  /// returns them. `call` must not capture the file, because the file keeps `call`.
  package func rescueBlocks(
    by call: @escaping @Sendable (EntryFile, [BlockIndex], StorageError) -> Void
  ) {
    rescue.withLock { $0 = call }
  }

  /// Writes no more bytes, because another process may soon own the file. Forgets the complete
  /// blocks that are only in memory.
  func abandonWrites() {
    state.withLock { $0.abandonWrites() }
    answerWaits()
  }

  /// Answers the readers whose blocks are written, or all readers.
  func answerWaits(all: Bool = false) {
    for wait in state.withLock({ $0.takeWaits(all: all) }) { wait.answer() }
  }

  /// Writes the bytes of the extents that have some at the start. Extents that come meanwhile are
  /// left, because other files wait for their turn.
  private func writeOut(withBegun: Bool) throws(StorageError) {
    var failure: StorageError?
    for first in state.withLock({ $0.extentsToWrite(withBegun: withBegun) }) {
      while let (write, error) = writeNext(of: first, withBegun: withBegun) {
        writer.trouble = error
        if let error { giveAway(layout.blocks(touching: write.bytes), error) }
        failure = error ?? failure
        answerWaits()
      }
    }
    answerWaits()
    if let failure { throw failure }
  }

  /// Writes as many bytes of the extent of `block` as one write takes. Returns nil if there are
  /// none to write. The error is not nil if the disk does not take them.
  private func writeNext(
    of block: BlockIndex, withBegun: Bool
  ) -> (EntryState.Write, StorageError?)? {
    writing.lock()
    defer { writing.unlock() }
    guard let write = state.withLock({ $0.nextWrite(of: block, withBegun: withBegun) })
    else { return nil }
    do {
      try put(write)
      return (write, nil)
    } catch {
      return (write, StorageError(error, at: path))
    }
  }

  /// Writes bytes, checksums and bits, in this order.
  private func put(_ write: EntryState.Write) throws(Errno) {
    try clearCleanMark(durably: false)
    try changeData { () throws(Errno) in
      try write.extent.lend(write.bytes) { bytes throws(Errno) in
        try data.write(bytes, at: write.bytes.lowerBound)
      }
    }
    if !write.blocks.isEmpty {
      try index.write(checksums: write.checksums, from: write.blocks.lowerBound)
    }
    let written = state.withLock { $0.wrote(write) }
    do throws(Errno) {
      try store(words: EntryState.words(of: written))
    } catch {
      state.withLock { $0.failedToMark(written) }
      throw error
    }
  }

  /// Gives blocks that could not be written to another store, and forgets them here. If another
  /// thread has written them meanwhile, they stay.
  private func giveAway(_ blocks: Range<BlockIndex>, _ error: StorageError) {
    let lost = state.withLock { $0.inMemory(blocks) }
    guard !lost.isEmpty else { return }
    rescue.withLock { $0 }?(self, lost, error)
    state.withLock { state in
      for block in state.inMemory(blocks) { state.abandon(block) }
    }
  }
}
