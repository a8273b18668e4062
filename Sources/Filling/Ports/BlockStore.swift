package import Blocks

/// A store for the bytes of one version.
///
/// Only the origin's thread writes. Any thread may lend.
package protocol BlockStore: AnyObject, Sendable {
  /// The complete blocks that the store had from the start.
  var cachedBlocks: BlockSet { get }

  /// Stores `bytes`. They must start a block, or continue one at the place where it stopped.
  ///
  /// Bytes at the start of a begun block begin it again. Bytes of a complete block change nothing.
  /// Returns the blocks that were evicted for these bytes. They may include blocks of `bytes`.
  func write(_ bytes: RawSpan, at offset: Int) -> WriteOutcome

  /// The suspect ranges, as last passed to `suspect`. An earlier process may have passed them.
  var suspects: [ByteRange] { get }

  /// Replaces the suspect ranges. The store lends suspect bytes all the same.
  func suspect(_ ranges: [ByteRange])

  /// True if `bytes` equal the cached bytes from `offset` on; nil if those are not cached.
  func agrees(_ bytes: RawSpan, at offset: Int) -> Bool?

  /// Forgets `blocks`, because their bytes are wrong.
  func forget(_ blocks: Range<BlockIndex>)

  /// Lends `range` to `body` for the time of the call, and never waits for a disk. Only the kernel may
  /// read the bytes. `body` returns false if it could not take them.
  func lend(_ range: ByteRange, to body: (RawSpan) -> Bool) -> LendOutcome

  /// Lends a copy of `range` to `body`, as `lend` does. Code that reads the bytes needs a copy: other
  /// memory may be a mapped file, which raises a signal if it is cut meanwhile.
  func lendCopy(of range: ByteRange, to body: (RawSpan) -> Void) -> LendOutcome

  /// Calls `call` when no complete block is on its way to the disk. It may be at once.
  func whenWritten(_ call: @escaping @Sendable () -> Void)

  /// Reads `range` from the disk and lends it to `body`, on another thread. If blocks are missing
  /// or differ from the written bytes, it calls `lost` with these blocks instead.
  func lendFromDisk(
    _ range: ByteRange, to body: @escaping @Sendable (RawSpan) -> Void,
    orLose lost: @escaping @Sendable ([BlockIndex]) -> Void)
}

/// The result of a write.
package enum WriteOutcome: Equatable, Sendable {
  case cached
  /// These blocks were evicted; some may belong to the new bytes. All others are cached.
  case displaced([BlockIndex])

  var displaced: [BlockIndex] {
    switch self {
    case .cached: []
    case .displaced(let blocks): blocks
    }
  }
}

/// The result of a try to lend bytes.
package enum LendOutcome: Equatable, Sendable {
  case lent
  /// These blocks are missing, or differ from the written bytes.
  case lost([BlockIndex])
  /// The bytes must be read from the disk, or are on their way to it (`lendFromDisk`). That may
  /// take any time.
  case onDisk
}
