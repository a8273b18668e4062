import Blocks

/// The state of an entry's file, as a value: the cached blocks, their certainty, writes under way.
///
/// Invariant: a block is in `held` only after its bytes and its checksum were written.
struct EntryState: Sendable {
  /// A block whose first `count` bytes were written, with their checksum.
  struct Partial: Hashable, Sendable {
    var count = 0
    var checksum = CRC32C()
  }

  /// A decision on bytes that arrive.
  enum Admission: Hashable, Sendable {
    /// The block is cached already: ignore them.
    case held
    /// Write them after the bytes of `Partial`.
    case next(Partial)
    case outOfOrder
  }

  let layout: BlockLayout
  private(set) var held: BlockSet
  /// Cached, but left by an unclean stop: compare with the checksum before the first use.
  private(set) var unverified: BlockSet
  /// Cached, but not known to be on the disk; `flushing` are the blocks of a running flush.
  private(set) var unflushed: UnflushedBlocks
  private var flushing = UnflushedBlocks()
  private var partial: [BlockIndex: Partial] = [:]
  /// Bytes of broken answers that were not compared.
  var suspects: [ByteRange] = []
  /// The clean mark as the header shows it (`IndexHeader.cleanMark`).
  var cleanMark: UInt32?
  /// Whether nothing more may be written.
  var isRetired = false
  /// The date that the data file gets at its next close.
  var date = File.Date.now

  init(
    layout: BlockLayout, held: BlockSet = BlockSet(), unverified: BlockSet = BlockSet(),
    unflushed: BlockSet = BlockSet(), cleanMark: UInt32? = nil
  ) {
    self.layout = layout
    self.held = held
    self.unverified = unverified
    self.unflushed = UnflushedBlocks(unflushed)
    self.cleanMark = cleanMark
  }

  // MARK: Writing

  /// Decides on bytes of `block` that begin at `offset`; bytes at its start begin it anew.
  mutating func admit(_ offset: Int, in block: BlockIndex) -> Admission {
    if held.contains(block) { return .held }
    let inBlock = offset - layout.bytes(of: block).lowerBound
    if inBlock == 0 {
      partial[block] = Partial()
      return .next(Partial())
    }
    guard let known = partial[block], known.count == inBlock else { return .outOfOrder }
    return .next(known)
  }

  /// Notes that bytes after `before` were written; false if the block was dropped meanwhile.
  mutating func wrote(_ after: Partial, following before: Partial, in block: BlockIndex) -> Bool {
    guard partial[block] == before else { return false }
    guard after.count == layout.bytes(of: block).count else {
      partial[block] = after
      return true
    }
    partial[block] = nil
    held.insert(block)
    unflushed.insert(block, after.checksum.value)
    return true
  }

  /// Returns how many bytes of the incomplete `block` were written.
  func begun(of block: BlockIndex) -> Int {
    partial[block]?.count ?? 0
  }

  /// Forgets the bytes of `block` if it is incomplete.
  mutating func abandon(_ block: BlockIndex) {
    partial[block] = nil
  }

  /// Forgets `blocks`, complete or not; returns the words of the bitmap that changed.
  mutating func drop(_ blocks: Range<BlockIndex>) -> [Int] {
    let blocks = blocks.clamped(to: layout.all)
    var words: [Int] = []
    for run in held.runs(in: blocks) {
      words += (words.last.map { max($0 + 1, run.firstWord) } ?? run.firstWord)..<run.wordsEnd
    }
    held.remove(blocks)
    unverified.remove(blocks)
    unflushed.remove(blocks)
    flushing.remove(blocks)
    for block in blocks.count < partial.count ? Array(blocks) : Array(partial.keys)
    where blocks.contains(block) {
      partial[block] = nil
    }
    return words
  }

  // MARK: Lending

  /// Returns the blocks with a missing byte in `range`.
  func missing(in range: ByteRange) -> [BlockIndex] {
    let blocks = layout.blocks(touching: range)
    guard held.firstMissing(in: blocks) != nil else { return [] }
    return held.missing(in: blocks).joined().filter { block in
      let start = layout.bytes(of: block).lowerBound
      return start + (partial[block]?.count ?? 0)
        < min(range.upperBound, layout.bytes(of: block).upperBound)
    }
  }

  /// Returns the bytes of `blocks` that are not known to be on the disk.
  func doubtful(in blocks: Range<BlockIndex>) -> [DoubtfulBytes] {
    guard !(isFlushed && partial.isEmpty) else { return [] }
    return blocks.compactMap { block in
      if let known = partial[block] {
        return DoubtfulBytes(block: block, count: known.count, checksum: known.checksum.value)
      }
      guard unflushed.contains(block) || flushing.contains(block) else { return nil }
      return DoubtfulBytes(
        block: block, count: layout.bytes(of: block).count,
        checksum: unflushed.checksum(of: block) ?? flushing.checksum(of: block))
    }
  }

  /// Notes that `block` agrees with its checksum.
  mutating func verified(_ block: BlockIndex, _ checksum: UInt32) {
    unverified.remove(block)
    unflushed.know(checksum, of: block)
    flushing.know(checksum, of: block)
  }

  // MARK: Flushing

  /// Takes the blocks to flush; false if there are none.
  mutating func beginFlush() -> Bool {
    guard !unflushed.isEmpty else { return false }
    flushing = unflushed
    unflushed = UnflushedBlocks()
    return true
  }

  mutating func endFlush() {
    flushing = UnflushedBlocks()
  }

  /// Drops all blocks written since the last good flush: the disk may lack any of them though the
  /// next flush "succeeds". Returns the words of the bitmap that changed.
  mutating func failFlush() -> [Int] {
    var words: Set<Int> = []
    for lost in [flushing.blocks, unflushed.blocks] {
      for run in lost.runs(in: layout.all) { words.formUnion(drop(run)) }
    }
    partial = [:]
    return words.sorted()
  }

  /// Whether no block waits for a flush or for the end of one.
  var isFlushed: Bool {
    unflushed.isEmpty && flushing.isEmpty
  }

  /// Whether every block is cached.
  var isWhole: Bool {
    held.contains(all: layout.all)
  }

  /// Whether every block is cached, verified, flushed to the disk and not suspect.
  var isDurable: Bool {
    isWhole && isInOrder && suspects.isEmpty
  }

  /// Whether a clean mark would be true.
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
