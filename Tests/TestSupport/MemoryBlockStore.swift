package import Blocks
package import Filling
import Locks

/// A block store in memory that follows the rules of the disk cache, and loses blocks on demand.
///
/// For any thread; it lends the bytes outside the lock.
package final class MemoryBlockStore: BlockStore {
  private struct State {
    var bytes: [UInt8]
    /// The bytes that each incomplete block has so far.
    var partial: [BlockIndex: Int] = [:]
    var cachedBlocks = BlockSet()
    var order: [BlockIndex] = []
    var whenLending: (@Sendable (ByteRange) -> Void)?
    var isBroken = false
    /// Reads that wait for the disk; nil while reads need no disk.
    var asleep: [@Sendable () -> Void]?
    var suspects: [ByteRange] = []
  }

  private let layout: BlockLayout
  private let maxBlocks: Int
  private let refuse: @Sendable (String) -> Void
  private let state: Locked<State>

  /// Creates a store of at most `maxBlocks`, which evicts first the block that was begun first. It
  /// reports calls that break the rules of a store to `refuse`.
  package init(
    length: Int, maxBlocks: Int = .max, refuse: @escaping @Sendable (String) -> Void
  ) {
    layout = BlockLayout(length: length)
    self.maxBlocks = maxBlocks
    self.refuse = refuse
    state = Locked(State(bytes: [UInt8](repeating: 0, count: length)))
  }

  package var cachedBlocks: BlockSet {
    state.withLock { $0.cachedBlocks }
  }

  /// Nothing here is on its way to a disk.
  package func whenWritten(_ call: @escaping @Sendable () -> Void) { call() }

  // MARK: Controls for the test

  /// Sets a hook that runs within each `lend`, before the bytes are looked up.
  package func whenLending(_ body: (@Sendable (ByteRange) -> Void)?) {
    state.withLock { $0.whenLending = body }
  }

  /// Sets whether the store loses each block that is written or lent.
  package func isBroken(_ isBroken: Bool) {
    state.withLock { $0.isBroken = isBroken }
  }

  /// Makes each read wait for the disk, until `wake`.
  package func fallAsleep() {
    state.withLock { $0.asleep = [] }
  }

  /// Answers the reads that wait for the disk.
  package func wake() {
    let waiting = state.withLock { state in
      defer { state.asleep = nil }
      return state.asleep ?? []
    }
    for body in waiting { body() }
  }

  /// Loses `block` silently: the next access finds out.
  package func lose(_ block: BlockIndex) {
    state.withLock { state in
      state.cachedBlocks.remove(block)
      state.partial[block] = nil
      state.order.removeAll { $0 == block }
    }
  }

  /// The blocks that are stored, whole or in part.
  package var kept: [BlockIndex] {
    state.withLock { $0.order }
  }

  // MARK: BlockStore

  package func write(_ bytes: RawSpan, at offset: Int) -> WriteOutcome {
    guard offset >= 0, offset + bytes.byteCount <= layout.length else {
      refuse("a write of \(bytes.byteCount) bytes at \(offset), beyond the end")
      return .displaced([])
    }
    let all = offset..<offset + bytes.byteCount
    let displaced: [BlockIndex] = bytes.withUnsafeBytes { bytes in
      state.withLock { state in
        var displaced: [BlockIndex] = []
        for block in layout.blocks(touching: all) {
          let piece = layout.bytes(of: block).clamped(to: all)
          let part = bytes[(piece.lowerBound - offset)..<(piece.upperBound - offset)]
          keep(part, at: piece.lowerBound, of: block, &state, &displaced)
        }
        return displaced
      }
    }
    return displaced.isEmpty ? .cached : .displaced(displaced)
  }

  package var suspects: [ByteRange] {
    state.withLock { $0.suspects }
  }

  package func suspect(_ ranges: [ByteRange]) {
    state.withLock { $0.suspects = ranges }
  }

  package func agrees(_ bytes: RawSpan, at offset: Int) -> Bool? {
    state.withLock { state in
      let range = offset..<offset + bytes.byteCount
      guard missing(range, in: state).isEmpty else { return nil }
      return bytes.withUnsafeBytes { $0.elementsEqual(state.bytes[range]) }
    }
  }

  package func forget(_ blocks: Range<BlockIndex>) {
    for block in blocks { lose(block) }
  }

  package func lendCopy(of range: ByteRange, to body: (RawSpan) -> Void) -> LendOutcome {
    lend(range) { bytes in
      body(bytes)
      return true
    }
  }

  package func lend(_ range: ByteRange, to body: (RawSpan) -> Bool) -> LendOutcome {
    guard range.clamped(to: 0..<layout.length) == range else {
      refuse("a read of \(range) of \(layout.length) bytes")
      return .lent
    }
    guard state.withLock({ $0.asleep == nil }) else { return .onDisk }
    state.withLock { $0.whenLending }?(range)
    let (lost, bytes) = state.withLock { state in
      (missing(range, in: state), state.bytes)
    }
    guard lost.isEmpty else { return .lost(lost) }
    guard body(bytes.span.bytes.extracting(range)) else {
      let blocks = Array(layout.blocks(touching: range))
      for block in blocks { lose(block) }
      return .lost(blocks)
    }
    return .lent
  }

  package func lendFromDisk(
    _ range: ByteRange, to body: @escaping @Sendable (RawSpan) -> Void,
    orLose lost: @escaping @Sendable ([BlockIndex]) -> Void
  ) {
    state.withLock { state in
      state.asleep?.append { [self] in
        let outcome = lend(range) { bytes in
          body(bytes)
          return true
        }
        if case .lost(let blocks) = outcome { lost(blocks) }
      }
    }
  }

  // MARK: Private

  private func keep(
    _ part: Slice<UnsafeRawBufferPointer>, at offset: Int, of block: BlockIndex,
    _ state: inout State,
    _ displaced: inout [BlockIndex]
  ) {
    let inBlock = layout.bytes(of: block)
    if state.cachedBlocks.contains(block) { return }
    let start = offset - inBlock.lowerBound
    guard !state.isBroken, start == 0 || start == state.partial[block] else {
      displaced.append(block)
      return
    }
    if state.partial[block] == nil { makeRoom(for: block, &state, &displaced) }
    state.bytes.withUnsafeMutableBytes { all in
      UnsafeMutableRawBufferPointer(rebasing: all[offset..<offset + part.count])
        .copyMemory(from: UnsafeRawBufferPointer(rebasing: part))
    }
    state.partial[block] = start + part.count
    if start + part.count == inBlock.count {
      state.partial[block] = nil
      state.cachedBlocks.insert(block)
    }
  }

  private func makeRoom(
    for block: BlockIndex, _ state: inout State, _ displaced: inout [BlockIndex]
  ) {
    if state.order.count >= maxBlocks {
      let oldest = state.order.removeFirst()
      state.cachedBlocks.remove(oldest)
      state.partial[oldest] = nil
      displaced.append(oldest)
    }
    state.order.append(block)
  }

  private func missing(_ range: ByteRange, in state: State) -> [BlockIndex] {
    layout.blocks(touching: range).filter { block in
      let needed = range.clamped(to: layout.bytes(of: block)).upperBound
      let known = layout.bytes(of: block).lowerBound + (state.partial[block] ?? 0)
      return state.isBroken || !(state.cachedBlocks.contains(block) || needed <= known)
    }
  }
}
