package import Blocks
import Locks

/// Keeps the latest blocks of one open file in memory while the disk cannot take them. Older blocks
/// are evicted to make room for new ones.
///
/// `write` has the same rules as `EntryFile.write`. The block that was begun first is evicted
/// first. For any thread: a lock guards the blocks. It is not held while lent bytes are read.
package final class MemoryRing: Sendable {
  package let layout: BlockLayout

  private struct State {
    var blocks: [BlockIndex: [UInt8]] = [:]
    var order: [BlockIndex] = []
  }

  private let capacity: Int
  private let budget: MemoryBudget
  private let state = Locked(State())

  /// Creates a ring for at most `capacity` bytes. The limit is lower while many files need a ring.
  package convenience init(layout: BlockLayout, capacity: Int) {
    self.init(layout: layout, capacity: capacity, of: .ofProcess)
  }

  /// - Parameters:
  ///   - capacity: the limit in bytes. Below the length of a block, the limit is one block.
  ///   - budget: the budget that this ring shares with others.
  init(layout: BlockLayout, capacity: Int, of budget: MemoryBudget) {
    self.layout = layout
    self.capacity = capacity
    self.budget = budget
  }

  deinit {
    if !state.withLock(\.order).isEmpty { budget.leave() }
  }

  /// The complete blocks.
  package var cachedBlocks: BlockSet {
    state.withLock { state in
      var cachedBlocks = BlockSet()
      for (block, bytes) in state.blocks where bytes.count == layout.bytes(of: block).count {
        cachedBlocks.insert(block)
      }
      return cachedBlocks
    }
  }

  /// True if the ring has at least one byte of `blocks`.
  package func holdsPart(ofAny blocks: Range<BlockIndex>) -> Bool {
    state.withLock { state in
      !state.blocks.isEmpty && blocks.contains { state.blocks[$0] != nil }
    }
  }

  /// Returns a copy of `range`; nil if any byte of it is missing.
  package func copy(of range: ByteRange) -> [UInt8]? {
    var copy: [UInt8]?
    _ = lend(range) { bytes in
      copy = bytes.withUnsafeBytes { Array($0) }
      return true
    }
    return copy
  }

  /// Stores `bytes`. Returns the blocks that were evicted to make room. If `bytes` exceed the
  /// limit, these include blocks of `bytes`. Throws `outOfOrder` as `EntryFile.write` does.
  package func write(_ bytes: RawSpan, at offset: Int) throws(StorageError) -> [BlockIndex] {
    guard offset >= 0, bytes.byteCount <= layout.length - offset else {
      throw .outOfOrder(offset: offset)
    }
    var gone: [BlockIndex] = []
    var done = 0
    while done < bytes.byteCount {
      let block = layout.block(at: offset + done)
      let end = min(layout.bytes(of: block).upperBound - offset, bytes.byteCount)
      let piece = bytes.extracting(done..<end).withUnsafeBytes { Array($0) }
      guard state.withLock({ keep(piece, at: offset + done, in: block, &$0, &gone) }) else {
        throw .outOfOrder(offset: offset + done)
      }
      done = end
    }
    return gone
  }

  /// Forgets `blocks`, because their bytes are wrong.
  package func forget(_ blocks: Range<BlockIndex>) {
    state.withLock { state in
      let gone = state.order.filter(blocks.contains)
      guard !gone.isEmpty else { return }
      for block in gone { state.blocks[block] = nil }
      state.order.removeAll(where: blocks.contains)
      if state.order.isEmpty { budget.leave() }
    }
  }

  /// Lends a copy of `range`, cut at the end of the version, to `body`.
  ///
  /// It is like `EntryFile.lend`, but ignores the result of `body`, because a read of this memory
  /// cannot fail.
  package func lend(_ range: ByteRange, to body: (RawSpan) -> Bool) -> Loan {
    let range = range.clamped(to: 0..<layout.length)
    var copy: [UInt8] = []
    copy.reserveCapacity(range.count)
    var missing: [BlockIndex] = []
    state.withLock { state in
      for block in layout.blocks(touching: range) {
        let whole = layout.bytes(of: block)
        let wanted = range.clamped(to: whole)
        let kept = state.blocks[block] ?? []
        if wanted.upperBound - whole.lowerBound <= kept.count {
          copy +=
            kept[(wanted.lowerBound - whole.lowerBound)..<(wanted.upperBound - whole.lowerBound)]
        } else {
          missing.append(block)
        }
      }
    }
    guard missing.isEmpty else { return .lost(missing) }
    _ = body(copy.span.bytes)
    return .lent
  }

  /// Stores a piece of `block`, and adds the blocks that are evicted for that to `gone`. Returns
  /// false if the piece neither begins the block nor continues it.
  private func keep(
    _ piece: [UInt8], at offset: Int, in block: BlockIndex, _ state: inout State,
    _ gone: inout [BlockIndex]
  ) -> Bool {
    let whole = layout.bytes(of: block)
    let count = state.blocks[block]?.count ?? 0
    if count == whole.count { return true }
    guard offset == whole.lowerBound || offset == whole.lowerBound + count else { return false }
    if state.blocks[block] == nil {
      if state.order.isEmpty { budget.join() }
      let most = max(1, min(capacity, budget.part) / layout.blockSize)
      let excess = state.order.prefix(max(0, state.order.count + 1 - most))
      for oldest in excess { state.blocks[oldest] = nil }
      gone += excess
      state.order.removeFirst(excess.count)
      state.order.append(block)
    }
    if offset == whole.lowerBound {
      state.blocks[block] = []
      state.blocks[block]?.reserveCapacity(whole.count)
    }
    state.blocks[block]?.append(contentsOf: piece)
    return true
  }
}
