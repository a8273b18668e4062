import Blocks
import Glibc

/// Memory for two consecutive blocks of a file. It gets their bytes as they arrive.
///
/// Bytes in the ranges of `runs` never change, so they are lent and written to the disk without a
/// lock. The lock of the file's state guards `runs`. Only the thread that calls `EntryFile.write`
/// copies new bytes after the end of a run.
final class RecentExtent: @unchecked Sendable {
  /// The number of blocks of one extent. At the standard block size, they are together as long as
  /// the longest read of the kernel.
  static let blocks = 2

  /// Consecutive bytes of one block that are in this memory.
  struct Run: Hashable, Sendable {
    /// The bytes, as a range of the file.
    var range: ByteRange
    /// The end of the bytes that are also in the data file, as an offset in the file.
    var writtenEnd: Int
    /// True once any byte of the block was copied into this memory. Such bytes are never
    /// overwritten, because a reader may still be reading them.
    var isUsed = false

    /// The number of bytes of the run that are not in the data file.
    var unwritten: Int { max(0, range.upperBound - writtenEnd) }

    /// True if all bytes of the run are in the data file.
    var isWritten: Bool { unwritten == 0 }
  }

  /// The number of this extent among the extents of the file.
  let number: Int
  private let blockSize: Int
  private let memory: UnsafeMutableRawPointer
  private let owner: RecentMemory
  /// A run for each block. They are accessed through a pointer, because Swift would check each
  /// access to a variable property for exclusivity.
  private let runs: UnsafeMutablePointer<Run>

  /// - Parameter memory: room for `blocks` times `blockSize` bytes. `deinit` gives it back to
  ///   `owner`.
  init(
    _ number: Int, blockSize: Int, _ memory: UnsafeMutableRawPointer, of owner: RecentMemory
  ) {
    self.number = number
    self.blockSize = blockSize
    self.memory = memory
    self.owner = owner
    runs = .allocate(capacity: Self.blocks)
    for slot in 0..<Self.blocks {
      let start = (number * Self.blocks + slot) * blockSize
      (runs + slot).initialize(to: Run(range: start..<start, writtenEnd: start))
    }
  }

  deinit {
    runs.deallocate()
    owner.giveBack(memory, Self.blocks * blockSize)
  }

  /// The number of the extent that has memory for `block`.
  static func number(of block: BlockIndex) -> Int { block.value / blocks }

  /// The blocks of this extent. The last of them can be after the end of the file.
  var numbers: Range<BlockIndex> {
    BlockIndex(number * Self.blocks)..<BlockIndex((number + 1) * Self.blocks)
  }

  subscript(_ block: BlockIndex) -> Run {
    get { runs[slot(of: block)] }
    set { runs[slot(of: block)] = newValue }
  }

  /// The address of this extent's memory. It identifies the extent among all that exist now.
  var address: UInt { UInt(bitPattern: memory) }

  /// True if all bytes of `range` are in this extent. `range` must not be empty.
  func holds(_ range: ByteRange) -> Bool {
    let all = offset(of: 0)..<offset(of: Self.blocks)
    guard all.lowerBound <= range.lowerBound, range.upperBound <= all.upperBound else {
      return false
    }
    var place = range.lowerBound
    while place < range.upperBound {
      let run = runs[place / blockSize - number * Self.blocks].range
      guard run.lowerBound <= place, run.upperBound > place else { return false }
      place = run.upperBound
      if place < range.upperBound, place % blockSize != 0 { return false }
    }
    return true
  }

  /// Copies `bytes` to the place of `offset`. No run must have bytes there. Only the thread that
  /// calls `EntryFile.write` is allowed to call this.
  func copy(_ bytes: RawSpan, to offset: Int) {
    bytes.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return }
      memcpy(memory + (offset - self.offset(of: 0)), start, bytes.count)
    }
  }

  /// Lends the bytes of `range` to `body`. The runs must have all of them.
  func lend<Result, Failure>(
    _ range: ByteRange, to body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let start = UnsafeRawPointer(memory + (range.lowerBound - offset(of: 0)))
    return try body(UnsafeRawBufferPointer(start: start, count: range.count).bytes)
  }

  private func slot(of block: BlockIndex) -> Int {
    let slot = block.value - number * Self.blocks
    precondition(slot >= 0 && slot < Self.blocks, "another extent has the block")
    return slot
  }

  private func offset(of slot: Int) -> Int {
    (number * Self.blocks + slot) * blockSize
  }
}
