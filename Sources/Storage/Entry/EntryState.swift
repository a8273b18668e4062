import Blocks

/// The state of an `EntryFile`, as a value. It tells which blocks are cached, which of them must be
/// compared or flushed, and which bytes are only in memory.
///
/// Invariant: a block of `cachedBlocks` that is in `pending` has its unwritten bytes in `recent`.
/// Any other block of `cachedBlocks` has its bytes and its checksum in the files.
struct EntryState: Sendable {
  /// The bytes that came of an incomplete block: their number, and their checksum.
  struct Partial: Hashable, Sendable {
    var count = 0
    var checksum = CRC32C()
  }

  /// The action for bytes of a block that have arrived.
  enum Admission: Hashable, Sendable {
    /// The block is cached already. The bytes must be ignored.
    case cached
    /// The bytes continue the block directly after those that `Partial` describes.
    case next(Partial)
    case outOfOrder
  }

  let layout: BlockLayout
  private(set) var cachedBlocks: BlockSet
  /// Cached blocks that an unclean stop left, or that another program may have changed. They must
  /// be compared with their checksums before their next use.
  private(set) var unverified: BlockSet
  /// Cached blocks that are perhaps not on the disk. While a flush runs, the blocks that it flushes
  /// are in `flushing` instead.
  private(set) var unflushed: UnflushedBlocks
  private var flushing = UnflushedBlocks()
  /// Cached blocks that are only in memory: the writer has not written all their bytes yet. Their
  /// bits must not be on the disk. Each of these blocks is in `unflushed` too.
  var pending = BlockSet()
  /// The latest bytes in memory.
  var recent = RecentBytes()
  /// The closures to call when their blocks are written.
  var waits: [WriteWait] = []
  private var partial = BegunBlocks()
  /// The suspect bytes: answers that broke off brought them, and no other answer has confirmed
  /// them.
  var suspects: [ByteRange] = []
  /// The clean mark that the header should have (`IndexHeader.cleanMark`).
  var cleanMark: CleanMark?
  /// The state of the data file after the daemon's last change.
  var own: OwnChanges
  /// True if an earlier process left blocks without a clean mark, whose bytes the kernel may have
  /// only in memory. `EntryFile.forgetMemoryOfEarlierProcess` makes this false.
  var isInherited: Bool
  /// True if the file could not be opened once more for passthrough, because of its disk or the
  /// limit for descriptors.
  var isRefused = false
  /// True if every later write is refused.
  var isRetired = false
  /// True if bytes that are only in memory must not be written to the files any more.
  var isAbandoned = false
  /// The date that the data file gets at its next close.
  var date = File.Date.now

  init(
    layout: BlockLayout, cachedBlocks: BlockSet = BlockSet(), unverified: BlockSet = BlockSet(),
    unflushed: BlockSet = BlockSet(), cleanMark: CleanMark? = nil,
    own: OwnChanges = OwnChanges()
  ) {
    self.layout = layout
    self.cachedBlocks = cachedBlocks
    self.unverified = unverified
    self.unflushed = UnflushedBlocks(unflushed)
    isInherited = !unflushed.isEmpty
    self.own = own
    self.cleanMark = cleanMark
  }

  // MARK: Writing

  /// Decides what to do with bytes of `block` that begin at `offset`. Bytes at the start of a block
  /// begin it again.
  mutating func admit(_ offset: Int, in block: BlockIndex) -> Admission {
    if cachedBlocks.contains(block) { return .cached }
    let inBlock = offset - layout.bytes(of: block).lowerBound
    if inBlock == 0 {
      partial[block] = Partial()
      return .next(Partial())
    }
    guard let known = partial[block], known.count == inBlock else { return .outOfOrder }
    return .next(known)
  }

  /// Notes that bytes of `block` came: `before` describes the bytes until then, and `after` the
  /// bytes with them. Returns false if the block was dropped or begun again meanwhile.
  mutating func wrote(_ after: Partial, following before: Partial, in block: BlockIndex) -> Bool {
    guard partial[block] == before else { return false }
    guard after.count == layout.bytes(of: block).count else {
      partial[block] = after
      return true
    }
    partial[block] = nil
    cachedBlocks.insert(block)
    pending.insert(block)
    unflushed.insert(block, after.checksum.value)
    return true
  }

  /// Returns how many bytes of the incomplete `block` came.
  func begun(of block: BlockIndex) -> Int {
    partial[block]?.count ?? 0
  }

  /// Forgets `block` if it is incomplete or only in memory, and so has no bit on the disk.
  mutating func abandon(_ block: BlockIndex) {
    partial[block] = nil
    recent.forget(block..<block.advanced(by: 1))
    guard pending.contains(block) else { return }
    cachedBlocks.remove(block)
    pending.remove(block)
    unflushed.remove(block..<block.advanced(by: 1))
  }

  /// Forgets `blocks`, complete or not. Returns the numbers of the bitmap's words that changed.
  mutating func drop(_ blocks: Range<BlockIndex>) -> [Int] {
    let blocks = blocks.clamped(to: layout.all)
    var words: [Int] = []
    for run in cachedBlocks.runs(in: blocks) {
      words += (words.last.map { max($0 + 1, run.firstWord) } ?? run.firstWord)..<run.wordsEnd
    }
    cachedBlocks.remove(blocks)
    pending.remove(blocks)
    recent.forget(blocks)
    unverified.remove(blocks)
    unflushed.remove(blocks)
    flushing.remove(blocks)
    partial.remove(blocks)
    return words
  }

  // MARK: Lending

  /// Returns the blocks of which at least one byte in `range` has not come.
  func missing(in range: ByteRange) -> [BlockIndex] {
    let blocks = layout.blocks(touching: range)
    guard cachedBlocks.firstMissing(in: blocks) != nil else { return [] }
    return cachedBlocks.missing(in: blocks).joined().filter { block in
      let start = layout.bytes(of: block).lowerBound
      return start + (partial[block]?.count ?? 0)
        < min(range.upperBound, layout.bytes(of: block).upperBound)
    }
  }

  /// True if any byte that came of `blocks` is perhaps not on the disk.
  func isDoubtful(in blocks: Range<BlockIndex>) -> Bool {
    guard !(isFlushed && partial.isEmpty) else { return false }
    return unflushed.blocks.firstMember(in: blocks) != nil
      || flushing.blocks.firstMember(in: blocks) != nil || blocks.contains { partial[$0] != nil }
  }

  /// Returns the bytes of `blocks` that are perhaps not on the disk.
  func doubtful(in blocks: Range<BlockIndex>) -> [DoubtfulBytes] {
    guard !(isFlushed && partial.isEmpty) else { return [] }
    var found: [DoubtfulBytes] = []
    found.reserveCapacity(blocks.count)
    for block in blocks {
      if let known = partial[block] {
        found.append(
          DoubtfulBytes(block: block, count: known.count, checksum: known.checksum.value))
      } else if unflushed.contains(block) || flushing.contains(block) {
        found.append(
          DoubtfulBytes(
            block: block, count: layout.bytes(of: block).count,
            checksum: checksumInMemory(of: block)))
      }
    }
    return found
  }

  /// The checksum of a block that is perhaps not on the disk; nil if the checksum is not in memory.
  func checksumInMemory(of block: BlockIndex) -> UInt32? {
    unflushed.checksum(of: block) ?? flushing.checksum(of: block)
  }

  /// Notes that a comparison found `checksum` right for `block`. `doubts` is the value of
  /// `own.doubts` before the comparison. If that value has changed, another program has changed the
  /// data file, and this does nothing.
  mutating func verified(_ block: BlockIndex, _ checksum: UInt32, asOf doubts: Int) {
    guard own.doubts == doubts else { return }
    unverified.remove(block)
    unflushed.know(checksum, of: block)
    flushing.know(checksum, of: block)
  }

  /// Notes that another program has changed the data file, whose state is `seen` now. Every block
  /// in the file must be compared before its next use. A block that is not completely written is
  /// forgotten, unless all its bytes are in memory.
  mutating func doubt(_ seen: FileGlance) {
    own.doubt(seen)
    for block in Array(pending.runs(in: layout.all).joined())
    where recent.run(of: block)?.range != layout.bytes(of: block) {
      abandon(block)
    }
    for (block, known) in partial.all {
      if recent.run(of: block)?.range.count == known.count {
        recent.writeAgain(block)
      } else {
        abandon(block)
      }
    }
    // Cached blocks whose bytes are all in memory are written again.
    for block in recent.all.flatMap(\.numbers)
    where cachedBlocks.contains(block) && recent.run(of: block)?.range == layout.bytes(of: block) {
      guard let checksum = checksumInMemory(of: block) else { continue }
      unflushed.insert(block, checksum)
      pending.insert(block)
      recent.writeAgain(block)
    }
    unverified = cachedBlocks.subtracting(pending)
  }

  /// Forgets the cached blocks whose checksums are not in memory, because the index was replaced.
  mutating func forgetUnproven() {
    cleanMark = nil
    for block in Array(cachedBlocks.runs(in: layout.all).joined())
    where checksumInMemory(of: block) == nil {
      _ = drop(block..<block.advanced(by: 1))
    }
  }

  // MARK: Flushing

  /// Moves the blocks of `unflushed` that are not `pending` to `flushing`. Returns false if there
  /// are none.
  mutating func beginFlush() -> Bool {
    flushing = unflushed
    unflushed = flushing.taking(pending, of: layout)
    return !flushing.isEmpty
  }

  /// Notes that the blocks of `flushing` are on the disk. So their memory can be freed.
  mutating func endFlush() {
    flushing = UnflushedBlocks()
    for extent in recent.all where !isNeeded(extent) { recent.remove(extent) }
  }

  /// Drops the blocks that were written since the last successful flush. They are perhaps not on
  /// the disk, even if the next flush "succeeds". A block that is not completely written stays if
  /// all its bytes are in memory. The caller ensures that no write is under way. Returns the
  /// numbers of the bitmap's words that changed.
  mutating func failFlush() -> [Int] {
    var words: Set<Int> = []
    for lost in [flushing.blocks, unflushed.blocks.subtracting(pending)] {
      for run in lost.runs(in: layout.all) { words.formUnion(drop(run)) }
    }
    // The bytes of incomplete and `pending` blocks that were already written may be lost, too.
    for block in Array(pending.runs(in: layout.all).joined()) {
      if recent.run(of: block)?.range == layout.bytes(of: block) {
        recent.writeAgain(block)
      } else {
        words.formUnion(drop(block..<block.advanced(by: 1)))
      }
    }
    for (block, known) in partial.all {
      if recent.run(of: block)?.range.count == known.count {
        recent.writeAgain(block)
      } else {
        abandon(block)
      }
    }
    return words.sorted()
  }

  /// True if every complete block was flushed, and no flush is running.
  var isFlushed: Bool {
    unflushed.isEmpty && flushing.isEmpty
  }

  /// True if every block is cached.
  var isWhole: Bool {
    cachedBlocks.contains(all: layout.all)
  }

  /// True if every block is cached, verified, flushed and not suspect, and passthrough was never
  /// refused.
  var isDurable: Bool {
    isWhole && isInOrder && suspects.isEmpty && !isRefused
  }

  /// True if the file can be marked clean: every cached block is verified and flushed.
  var isInOrder: Bool {
    unverified.isEmpty && isFlushed
  }
}

extension Range<BlockIndex> {
  fileprivate var firstWord: Int {
    lowerBound.value >> 6
  }

  fileprivate var wordsEnd: Int {
    (upperBound.value + 63) >> 6
  }
}
