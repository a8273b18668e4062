import Blocks

/// Decides which bytes go into memory, and which go from memory to the data file.
extension EntryState {
  /// The action for bytes of a block that have arrived.
  enum Step {
    /// The block is cached already. The bytes must be ignored.
    case cached
    case outOfOrder
    case retired
    /// The caller must first get memory for the block, and pass it to `add`.
    case needsMemory
    /// The bytes must be copied into the extent. They continue the block after those of `Partial`.
    case next(Partial, RecentExtent)
  }

  /// Decides what to do with bytes of `block` that begin at `offset`.
  mutating func step(_ offset: Int, in block: BlockIndex) -> Step {
    guard !isRetired else { return .retired }
    switch admit(offset, in: block) {
    case .cached: return .cached
    case .outOfOrder: return .outOfOrder
    case .next(let before):
      guard let extent = recent[block] else { return .needsMemory }
      let run = extent[block]
      // A reader may still be reading bytes of this memory, so they are never overwritten.
      let fits = run.isUsed ? before.count > 0 && run.range.upperBound == offset : true
      return fits ? .next(before, extent) : .needsMemory
    }
  }

  /// Adds memory for `block`.
  mutating func add(_ extent: RecentExtent, for block: BlockIndex) {
    recent.add(extent, anew: block)
  }

  /// Notes that the bytes of `block` from `offset` on were copied into `extent`. Returns false if
  /// the extent is not in use any more, or if the file was retired. Then the caller must call
  /// `step` again.
  mutating func copied(
    _ after: Partial, following before: Partial, at offset: Int, in block: BlockIndex,
    to extent: RecentExtent
  ) -> Bool {
    guard recent.contains(extent), !isRetired else { return false }
    extent[block].isUsed = true
    guard wrote(after, following: before, in: block) else { return true }
    let end = offset + after.count - before.count
    if extent[block].range.isEmpty {
      extent[block].range = offset..<end
      extent[block].writtenEnd = offset
    } else {
      extent[block].range = extent[block].range.lowerBound..<end
    }
    return true
  }

  // MARK: The writer

  /// One write to the data file, with bytes of one extent.
  struct Write {
    let extent: RecentExtent
    let bytes: ByteRange
    /// The blocks that are complete in the data file after this write. Empty if the bytes are those
    /// of an incomplete block.
    let blocks: Range<BlockIndex>
    /// The checksums of `blocks`.
    let checksums: [UInt32]
  }

  /// Returns the first block of each extent that has complete blocks to write. If `withBegun` is
  /// true, returns the first block of every extent, because each can have incomplete blocks to
  /// write.
  func extentsToWrite(withBegun: Bool) -> [BlockIndex] {
    var firsts: [BlockIndex] = []
    // Each pass of the writer calls this, and few extents have anything to write. The blocks of one
    // extent are bits of one word, so one comparison tells whether any of them is pending.
    let (words, mask) = (pending.words, UInt64(1) << UInt64(RecentExtent.blocks) - 1)
    for number in recent.numbers {
      let first = number * RecentExtent.blocks
      let word = first >> 6 < words.count ? words[first >> 6] : 0
      if withBegun || word >> UInt64(first & 63) & mask != 0 { firsts.append(BlockIndex(first)) }
    }
    return firsts
  }

  /// Returns the next write for the extent that has `block`; nil if none of its bytes must be
  /// written.
  func nextWrite(of block: BlockIndex, withBegun: Bool) -> Write? {
    guard !isAbandoned, let extent = recent[block] else { return nil }
    if let first = pending.firstMember(in: extent.numbers) { return write(from: first, of: extent) }
    return withBegun ? beginning(in: extent) : nil
  }

  /// Returns a write of as many consecutive blocks from `first` on as can be written at once.
  private func write(from first: BlockIndex, of extent: RecentExtent) -> Write {
    var end = first
    var checksums: [UInt32] = []
    checksums.reserveCapacity(RecentExtent.blocks)
    while end < extent.numbers.upperBound, pending.contains(end), let checksum = checksum(of: end),
      end == first || extent[end].range.lowerBound == extent[end.advanced(by: -1)].range.upperBound
    {
      checksums.append(checksum)
      end = end.advanced(by: 1)
    }
    let bytes = extent[first].range.lowerBound..<extent[end.advanced(by: -1)].range.upperBound
    return Write(extent: extent, bytes: bytes, blocks: first..<end, checksums: checksums)
  }

  private func beginning(in extent: RecentExtent) -> Write? {
    for block in extent.numbers where !cachedBlocks.contains(block) && !extent[block].isWritten {
      return Write(
        extent: extent, bytes: extent[block].range, blocks: block..<block, checksums: [])
    }
    return nil
  }

  /// The checksum of a block that was not flushed yet; nil if the checksum is not known.
  func checksum(of block: BlockIndex) -> UInt32? {
    unflushed.checksum(of: block)
  }

  /// Notes that the bytes of `write` and their checksums are in their files. Returns the blocks
  /// whose bits must be written now: all blocks of `write` that were not dropped or begun again
  /// meanwhile.
  mutating func wrote(_ write: Write) -> [BlockIndex] {
    guard !write.blocks.isEmpty else {
      let (start, end) = (write.bytes.lowerBound, write.bytes.upperBound)
      let block = layout.block(at: start)
      if recent.contains(write.extent), write.extent[block].range.lowerBound == start {
        write.extent[block].writtenEnd = end
      }
      return []
    }
    var written: [BlockIndex] = []
    written.reserveCapacity(write.blocks.count)
    for (block, checksum) in zip(write.blocks, write.checksums)
    where pending.contains(block) && self.checksum(of: block) == checksum {
      written.append(block)
      pending.remove(block)
      if let extent = recent[block] { extent[block].writtenEnd = extent[block].range.upperBound }
    }
    return written
  }

  /// Notes that the bits of `blocks` could not be written. The blocks count as only in memory
  /// again.
  mutating func failedToMark(_ blocks: [BlockIndex]) {
    for block in blocks where unflushed.contains(block) && recent.run(of: block) != nil {
      pending.insert(block)
    }
  }

  /// True if `block` is cached, and all its bytes are written to the data file.
  func isWritten(_ block: BlockIndex) -> Bool {
    cachedBlocks.contains(block) && !pending.contains(block)
  }

  /// True if bytes of any block except `block` are only in memory.
  func hasBytesOnTheirWay(besides block: BlockIndex) -> Bool {
    recent.all.contains { extent in
      inMemory(extent.numbers).contains { $0 != block && !extent[$0].isWritten }
    }
  }

  /// Returns the blocks of `blocks` that are only in memory, complete or incomplete.
  func inMemory(_ blocks: Range<BlockIndex>) -> [BlockIndex] {
    blocks.filter { block in
      pending.contains(block) || !cachedBlocks.contains(block) && recent.run(of: block) != nil
    }
  }

  /// Registers `wait`. Returns false if none of its blocks is pending.
  mutating func add(_ wait: WriteWait) -> Bool {
    guard pending.firstMember(in: wait.blocks) != nil else { return false }
    waits.append(wait)
    return true
  }

  /// Removes the waits whose blocks are not pending any more, or all waits if `all` is true.
  /// Returns the removed waits.
  mutating func takeWaits(all: Bool) -> [WriteWait] {
    let isOver = { [pending] (wait: WriteWait) in
      all || pending.firstMember(in: wait.blocks) == nil
    }
    guard let first = waits.firstIndex(where: isOver) else { return [] }
    if waits.count == 1 { return [waits.remove(at: first)] }
    defer { waits.removeAll(where: isOver) }
    return waits.filter(isOver)
  }

  /// Returns the numbers of the bitmap's words with `blocks`, which must be in ascending order.
  static func words(of blocks: [BlockIndex]) -> [Int] {
    var words: [Int] = []
    for block in blocks where words.last != block.value >> 6 { words.append(block.value >> 6) }
    return words
  }

  /// Returns the word `index` of the bitmap, as it should be on the disk.
  func storedWord(at index: Int) -> UInt64 {
    cachedBlocks.word(at: index) & ~pending.word(at: index)
  }

  /// Forgets the complete blocks that are only in memory, and stops all later writes.
  mutating func abandonWrites() {
    isAbandoned = true
    for block in Array(pending.runs(in: layout.all).joined()) { abandon(block) }
  }

  // MARK: Memory

  /// The place from which a range can be read.
  enum Place {
    /// All bytes are in memory, and the bytes of complete blocks are in the data file too.
    case memory
    /// Complete blocks of the range are only in memory.
    case pending
    /// Some of the bytes are only on the disk.
    case disk
    /// Some of the blocks must be compared with their checksums first.
    case unverified
  }

  /// Returns the place from which `range` can be read. `blocks` are the blocks that it touches.
  func place(of range: ByteRange, _ blocks: Range<BlockIndex>) -> Place {
    if pending.firstMember(in: blocks) != nil { return .pending }
    if unverified.firstMember(in: blocks) != nil { return .unverified }
    return recent.hold(range, in: blocks, of: layout) ? .memory : .disk
  }

  /// True if `extent` has bytes that are not flushed yet, so it should stay in memory.
  func isNeeded(_ extent: RecentExtent) -> Bool {
    extent.numbers.contains { block in
      cachedBlocks.contains(block) ? unflushed.contains(block) : !extent[block].range.isEmpty
    }
  }

  /// Forgets `extent` and returns true if all its bytes are in the data file. Otherwise returns
  /// false.
  mutating func giveUp(_ extent: RecentExtent) -> Bool {
    let isWritten = extent.numbers.allSatisfy { block in
      cachedBlocks.contains(block) ? !pending.contains(block) : extent[block].isWritten
    }
    guard isWritten, recent.contains(extent) else { return false }
    recent.remove(extent)
    return true
  }
}

/// A closure to call when `blocks` are written, or when their write has failed.
struct WriteWait: Sendable {
  let blocks: Range<BlockIndex>
  let answer: @Sendable () -> Void
}
