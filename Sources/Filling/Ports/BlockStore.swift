package import Blocks

/// A store for the bytes of one version.
///
/// Only the origin's thread writes. Any thread may lend.
package protocol BlockStore: AnyObject, Sendable {
  /// The complete blocks that the store has. The filler asks for them once, before its first write.
  var cachedBlocks: BlockSet { get }

  /// Stores `bytes`, whose first byte is that of the version at `offset`. It must be the first byte
  /// of a block, or the one after the bytes that the store has of its block.
  ///
  /// Bytes at the start of an incomplete block replace what the store has of it. Bytes of a
  /// complete block change nothing. Returns the blocks that were evicted for these bytes. Blocks of
  /// `bytes` may be among them.
  func write(_ bytes: RawSpan, at offset: Int) -> WriteOutcome

  /// The ranges that were last passed to `suspect`, perhaps by an earlier process.
  var suspects: [ByteRange] { get }

  /// Replaces the suspect ranges. The store lends suspect bytes like any others.
  func suspect(_ ranges: [ByteRange])

  /// Returns whether `bytes` equal the cached bytes from `offset` on; nil if these are not all
  /// cached.
  func agrees(_ bytes: RawSpan, at offset: Int) -> Bool?

  /// Forgets `blocks`, because their bytes are wrong.
  func forget(_ blocks: Range<BlockIndex>)

  /// Lends `range` to `body` for the time of the call, and never waits for a disk. `body` may only
  /// hand the bytes to the kernel, and returns false if the kernel could not read them.
  func lend(_ range: ByteRange, to body: (RawSpan) -> Bool) -> LendOutcome

  /// Lends a copy of `range` to `body`, as `lend` does. Code that reads the bytes itself needs the
  /// copy: `lend` may lend a mapped file, and reading it raises a signal if the file is cut
  /// meanwhile.
  func lendCopy(of range: ByteRange, to body: (RawSpan) -> Void) -> LendOutcome

  /// Calls `call` once no complete block is on its way to the disk: at once if none is, otherwise
  /// later on another thread.
  func whenWritten(_ call: @escaping @Sendable () -> Void)

  /// Reads `range` from the disk and lends it to `body`, on another thread. If blocks are missing
  /// or differ from the written bytes, `lost` gets these blocks instead.
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

/// The result of an attempt to lend bytes.
package enum LendOutcome: Equatable, Sendable {
  case lent
  /// These blocks are missing, or differ from the written bytes.
  case lost([BlockIndex])
  /// The bytes must be read from the disk, or are on their way to it. `lendFromDisk` lends them as
  /// soon as the disk allows, however long that takes.
  case onDisk
}
