import Blocks

/// What an entry's file holds, as a value: which blocks, how sure we are, what is on its way.
///
/// Invariant: a block is held only after its bytes and its checksum were written.
struct EntryState: Sendable {
  /// A block of which the first `count` bytes were written, and their checksum.
  struct Partial: Hashable, Sendable {
    var count = 0
    var checksum = CRC32C()
  }

  /// What is to be done with bytes that arrive.
  enum Admission: Hashable, Sendable {
    /// The block is held: nothing.
    case held
    /// They are to be written after those of `Partial`.
    case next(Partial)
    case outOfOrder
  }

  let layout: BlockLayout
  private(set) var held: BlockSet
  /// Held, but left so by an unclean stop: to be compared with the checksum before the first use.
  private(set) var unverified: BlockSet
  /// Held, but not known to be on the disk; `flushing` are those that a flush is busy with.
  private(set) var unflushed: UnflushedBlocks
  private var flushing = UnflushedBlocks()
  private var partial: [BlockIndex: Partial] = [:]
  /// Bytes of answers that broke off, and were not compared.
  var suspects: [ByteRange] = []
  /// The clean mark as the header shows it (`IndexHeader.seal`).
  var seal: UInt32?
  /// Whether nothing more may be written.
  var isRetired = false
  /// What the data file is dated when it is closed next.
  var date = File.Date.now

  init(
    layout: BlockLayout, held: BlockSet = BlockSet(), unverified: BlockSet = BlockSet(),
    unflushed: BlockSet = BlockSet(), seal: UInt32? = nil
  ) {
    self.layout = layout
    self.held = held
    self.unverified = unverified
    self.unflushed = UnflushedBlocks(unflushed)
    self.seal = seal
  }

  // MARK: Writing

  /// What is to be done with bytes of `block` that begin at `offset`; a start begins it anew.
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

  /// Notes that what followed `before` was written; false if the block was dropped meanwhile.
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

  /// Bytes that were written of `block`, which is not whole.
  func begun(of block: BlockIndex) -> Int {
    partial[block]?.count ?? 0
  }

  /// Forgets what was written of `block` if that is not all of it.
  mutating func abandon(_ block: BlockIndex) {
    partial[block] = nil
  }

  /// Forgets `blocks`, whole or not; says which words of the bitmap have changed.
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

  /// The blocks touching `range` of which a byte in it is not there.
  func missing(in range: ByteRange) -> [BlockIndex] {
    let blocks = layout.blocks(touching: range)
    guard held.firstMissing(in: blocks) != nil else { return [] }
    return held.missing(in: blocks).joined().filter { block in
      let start = layout.bytes(of: block).lowerBound
      return start + (partial[block]?.count ?? 0)
        < min(range.upperBound, layout.bytes(of: block).upperBound)
    }
  }

  /// What is there of `blocks` and not known to be on the disk.
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

  /// Takes what is to be flushed; false if nothing is.
  mutating func beginFlush() -> Bool {
    guard !unflushed.isEmpty else { return false }
    flushing = unflushed
    unflushed = UnflushedBlocks()
    return true
  }

  mutating func endFlush() {
    flushing = UnflushedBlocks()
  }

  /// Everything written since the last good flush is dropped, since the disk may lack any of it
  /// while the next flush "succeeds"; says which words of the bitmap have changed.
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

  /// Whether every block is held.
  var isWhole: Bool {
    held.contains(all: layout.all)
  }

  /// Whether every block is held, beyond doubt, and on the disk.
  var isSound: Bool {
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
