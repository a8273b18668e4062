import Blocks
import Locks
import SystemPackage

/// Flushes the files, and writes the clean mark and the words of the bitmap.
extension EntryFile {
  /// Flushes the cached blocks to the disk, and returns when they are there. Blocks that are only
  /// in memory are written first. Then the data file is flushed, then the index. For any thread
  /// that is allowed to block.
  ///
  /// If the disk fails, the blocks written since the last successful flush count as missing. The
  /// next flush would report success even though the kernel has thrown their bytes away.
  package func flush() throws(StorageError) {
    flushing.lock()
    defer { flushing.unlock() }
    try flushLocked()
  }

  /// Ends the use of the file: sets its modification time, flushes it and marks it clean.
  ///
  /// The bytes of the file can still be lent. A later write removes the clean mark again.
  package func close() throws(StorageError) {
    mapping?.release()
    // The writer must forget the file. Otherwise it would keep the file open, and a later write of
    // it would change the modification time again.
    writer.forget(self)
    try? writeOut()
    if isWritable {
      writing.withLock { try? changeData { () throws(Errno) in try data.touch(takeDate()) } }
    }
    try markClean()
  }

  /// Flushes the file, and marks the index clean if all cached blocks are on the disk and verified.
  func markClean() throws(StorageError) {
    flushing.lock()
    defer { flushing.unlock() }
    flusher.forget(self)
    try flushLocked()
    guard isWritable else { return }
    isUnchanged(opens: true)
    let (old, new) = state.withLock { state in
      let old = state.cleanMark
      if state.isInOrder, let data = state.own.noted {
        state.cleanMark = CleanMark(checksum: index.cleanMark(of: state.cachedBlocks), data: data)
      }
      return (old, state.cleanMark)
    }
    guard old != new else { return }
    // Only the noted state of the data file has changed. This header needs no flush: if a power cut
    // loses it, the next opening compares all blocks, and no byte is lost.
    if old?.checksum == new?.checksum { return (try? storeHeader()) ?? () }
    do {
      try storeHeader()
      try index.file.sync()
    } catch {
      throw StorageError(error, at: path)
    }
  }

  private func takeDate() -> File.Date {
    state.withLock { state in
      defer { state.date = .now }
      return state.date
    }
  }

  private func flushLocked() throws(StorageError) {
    var failure: StorageError?
    do {
      try writeOut()
    } catch {
      failure = error
    }
    // A block counts as written a moment before its bit is in the index. A flush in that moment
    // would miss the bit, so it waits for `writing`.
    let isNeeded = writing.withLock { state.withLock { $0.beginFlush() } }
    if isNeeded { try sync() }
    if let failure { throw failure }
  }

  private func sync() throws(StorageError) {
    do {
      try data.syncData()
      try index.file.syncData()
      state.withLock { $0.endFlush() }
    } catch {
      dropLostBlocks()
      throw StorageError(error, at: path)
    }
  }

  private func dropLostBlocks() {
    // The disk can also have lost bytes of a write that is under way. `writing` is free only after
    // that write is noted in `state`.
    let words = writing.withLock { state.withLock { $0.failFlush() } }
    try? store(words: words)
  }

  /// Makes the kernel forget the pages that an earlier process wrote, so that their blocks are read
  /// from the disk. Only the first call does this, and it waits for the disk. If the disk fails,
  /// all blocks that are not flushed count as missing.
  ///
  /// If the earlier process was killed while a flush failed, no process learned of the failure.
  /// Then the kernel has the bytes in memory, the disk does not have them, and no later flush
  /// fails.
  func forgetMemoryOfEarlierProcess() {
    guard state.withLock({ $0.isInherited }) else { return }
    flushing.lock()
    defer { flushing.unlock() }
    guard state.withLock({ $0.isInherited }) else { return }
    do {
      try data.syncData()
      try data.forgetPages()
    } catch {
      dropLostBlocks()
    }
    state.withLock { $0.isInherited = false }
  }

  // MARK: The index, made equal to `state`

  /// Writes words of the bitmap until each word in the file equals that of `state`. One write is
  /// sometimes not enough, because other threads change `state` during it.
  func store(words: [Int]) throws(Errno) {
    guard isWritable else { return }
    for word in words {
      var stored: UInt64?
      while true {
        let current = state.withLock { $0.storedWord(at: word) }
        if current == stored { break }
        try index.write(word: current, at: word)
        stored = current
      }
    }
  }

  /// Writes the header, and repeats that until the file has the clean mark of `state`.
  ///
  /// If another program has replaced the index, its checksums prove nothing. Then the blocks that
  /// have no checksum in memory are forgotten first, and the whole bitmap is written again.
  func storeHeader() throws(Errno) {
    var header = header
    let isLost = isIndexOurs == false
    if isLost { state.withLock { $0.forgetUnproven() } }
    repeat {
      header.cleanMark = state.withLock { $0.cleanMark }
      try index.write(header)
    } while state.withLock { $0.cleanMark } != header.cleanMark
    if isLost { try store(words: Array(0..<(layout.count + 63) / 64)) }
  }

  /// Removes the clean mark before the first change of the file. If `durably` is true, flushes the
  /// index, so that a power cut cannot bring the mark back.
  func clearCleanMark(durably: Bool) throws(Errno) {
    guard isWritable else { return }
    let cleanMark = state.withLock { state in
      defer { state.cleanMark = nil }
      return state.cleanMark
    }
    guard let cleanMark else { return }
    do throws(Errno) {
      try storeHeader()
      if durably { try index.file.syncData() }
    } catch {
      state.withLock { $0.cleanMark = cleanMark }
      throw error
    }
  }
}
