package import Blocks
import Locks
import SystemPackage

/// Writes bytes from memory to the data file and the index. `Writer` calls this, and so do callers
/// that need the bytes written at once.
extension EntryFile: RecentFile {
  /// Writes all complete blocks that are only in memory, and returns when they are in the file. For
  /// any thread that is allowed to block on the disk.
  ///
  /// If the disk does not take a block, the closure that `rescueBlocks` has set gets the block.
  /// Then the block is forgotten, and this throws.
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

  /// The number of bytes that are only in memory, of complete and of incomplete blocks.
  var pendingBytes: Int {
    state.withLock { $0.recent.unwritten }
  }

  /// Sets `call`, which gets the complete and the incomplete blocks that could not be written, and
  /// the error. It runs on the thread that writes. The bytes of the blocks are only in memory, and
  /// `takeBack` returns them. `call` must not capture the file, because the file keeps `call`.
  package func rescueBlocks(
    by call: @escaping @Sendable (EntryFile, [BlockIndex], StorageError) -> Void
  ) {
    rescue.withLock { $0 = call }
  }

  /// Stops all later writes, because another process may soon own the file. Forgets the complete
  /// blocks that are only in memory.
  func abandonWrites() {
    state.withLock { $0.abandonWrites() }
    answerWaits()
  }

  /// Answers the readers that wait for blocks to be written: those whose blocks are written, or, if
  /// `all` is true, all of them.
  func answerWaits(all: Bool = false) {
    for wait in state.withLock({ $0.takeWaits(all: all) }) { wait.answer() }
  }

  /// Writes the bytes of those extents that have some to write when this begins. Later extents wait
  /// for the next pass, because other files wait for their turn.
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

  /// Writes as many bytes of the extent that has `block` as one write can take. Returns nil if
  /// there are none to write. The returned error is nil if the disk took the bytes.
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

  /// Writes the bytes to the data file, and then their checksums and bits to the index, in this
  /// order.
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

  /// Passes blocks that could not be written to the closure of `rescueBlocks`, and forgets them
  /// here. If another thread has written a block meanwhile, it stays.
  private func giveAway(_ blocks: Range<BlockIndex>, _ error: StorageError) {
    let lost = state.withLock { $0.inMemory(blocks) }
    guard !lost.isEmpty else { return }
    rescue.withLock { $0 }?(self, lost, error)
    state.withLock { state in
      for block in state.inMemory(blocks) { state.abandon(block) }
    }
  }
}
