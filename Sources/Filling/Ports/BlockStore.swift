package import Blocks

/// A store for the bytes of one version.
///
/// Only the origin's thread calls `write`. Any thread can call `lend`.
package protocol BlockStore: AnyObject, Sendable {
  /// The complete blocks that the store has. The filler reads this once, before its first write.
  var cachedBlocks: BlockSet { get }

  /// Stores `bytes`. Their first byte has the place `offset` in the version. This place must be the
  /// start of a block, or follow the bytes that the store already has of the block.
  ///
  /// Bytes at the start of an incomplete block replace the cached bytes of that block. Bytes of a
  /// complete block change nothing. Returns the blocks that were evicted for these bytes. Some of
  /// them can be blocks of `bytes`.
  func write(_ bytes: RawSpan, at offset: Int) -> WriteOutcome

  /// The ranges that were last passed to `suspect`, perhaps by an earlier process.
  var suspects: [ByteRange] { get }

  /// Replaces the list of suspect ranges. The store lends suspect bytes like any others.
  func suspect(_ ranges: [ByteRange])

  /// Returns whether `bytes` equal the cached bytes from `offset` on; nil if some of the bytes
  /// there are not cached.
  func agrees(_ bytes: RawSpan, at offset: Int) -> Bool?

  /// Forgets `blocks`, because their bytes are wrong.
  func forget(_ blocks: Range<BlockIndex>)

  /// Lends the bytes of `range` to `body` for the duration of the call, and never waits for a disk.
  /// `body` must only pass them on to the kernel. It returns false if the kernel could not read
  /// them.
  func lend(_ range: ByteRange, to body: (RawSpan) -> Bool) -> LendOutcome

  /// Lends a copy of the bytes of `range` to `body`, for code that reads the bytes itself. `lend`
  /// can lend bytes of a mapped file. Reading those raises a signal if the file is truncated
  /// meanwhile.
  func lendCopy(of range: ByteRange, to body: (RawSpan) -> Void) -> LendOutcome

  /// Calls `call` when no complete block is on its way to the disk: at once if none is now,
  /// otherwise later on another thread.
  func whenWritten(_ call: @escaping @Sendable () -> Void)

  /// Reads `range` from the disk and lends it to `body`, on another thread. If blocks of `range`
  /// are missing or differ from the written bytes, calls `lost` with these blocks instead.
  func lendFromDisk(
    _ range: ByteRange, to body: @escaping @Sendable (RawSpan) -> Void,
    orLose lost: @escaping @Sendable ([BlockIndex]) -> Void)
}

/// The result of a write.
package enum WriteOutcome: Equatable, Sendable {
  case cached
  /// The store evicted these blocks. Some can be blocks of the new bytes. The other new bytes are
  /// cached.
  case displaced([BlockIndex])

  var displaced: [BlockIndex] {
    switch self {
    case .cached: []
    case .displaced(let blocks): blocks
    }
  }
}

/// The result of an attempt to lend bytes.
package enum LendOutcome: Equatable, Sendable {
  case lent
  /// These blocks are missing, or differ from the written bytes.
  case lost([BlockIndex])
  /// The bytes must be read from the disk, or are on their way to it. `lendFromDisk` lends them as
  /// soon as the disk allows, however long that takes.
  case onDisk
}
