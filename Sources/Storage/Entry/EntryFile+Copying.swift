package import Blocks
import Locks

/// Reads cached bytes. Bytes that are perhaps not on the disk are compared with their checksums.
///
/// If the disk fails to take a page, the kernel can throw the page away. Then the file and its
/// mapping have the old bytes, or zeros, again, even before a flush has reported the failure. So
/// bytes that no flush has brought to the disk are compared before each use. They are copied first,
/// because the mapping could change after the comparison.
extension EntryFile {
  // MARK: Waits for the disk

  /// True if `lend` can probably lend `range` without a wait for the disk. It is not certain,
  /// because the kernel can free pages of its memory at any time.
  ///
  /// False if blocks must be compared first: if an unclean stop left them, if another program has
  /// changed the file, or if the file is closed, because then such a change is not noticed. Also
  /// false if complete blocks of `range` are only in memory, because a killed daemon must not lose
  /// bytes that a reader was given. These blocks are lent once they are written, or if the disk
  /// hangs.
  package func isAtHand(_ range: ByteRange) -> Bool {
    let range = range.clamped(to: 0..<layout.length)
    let blocks = layout.blocks(touching: range)
    let (place, own) = state.withLock { ($0.place(of: range, blocks), $0.own) }
    switch place {
    case .memory: return true
    case .pending:
      guard writer.isLate else { return false }
      return state.withLock { $0.recent.hold(range, in: blocks, of: layout) }
    case .unverified: return mapping.map { !$0.isOfDisk } ?? true
    case .disk:
      guard let mapping, mapping.isOfDisk, !range.isEmpty else { return true }
      return isUnchanged(opens: false, since: own) && mapping.isInMemory(range)
    }
  }

  /// Calls `answer` when the complete blocks of `range` are written, when their write has failed,
  /// or when the disk hangs (`Writer.hangTimeout`). Returns false and does nothing if no block of
  /// `range` waits to be written, or if the disk hangs already.
  package func whenWritten(_ range: ByteRange, _ answer: @escaping @Sendable () -> Void) -> Bool {
    let blocks = layout.blocks(touching: range.clamped(to: 0..<layout.length))
    let wait = WriteWait(blocks: blocks, answer: answer)
    guard !writer.isLate, state.withLock({ $0.add(wait) }) else { return false }
    writer.hurry(for: self)
    return true
  }

  /// Lends a copy of `range` to `body`. The bytes are read from the disk if they are not in memory,
  /// and the calling thread can wait for that without a limit.
  package func lendFromDisk(_ range: ByteRange, to body: (RawSpan) -> Void) -> Loan {
    lendCopy(of: range.clamped(to: 0..<layout.length), to: body)
  }

  // MARK: Copies

  /// Returns a copy of `range`; nil if some bytes are missing.
  package func copy(of range: ByteRange) -> [UInt8]? {
    var copy: [UInt8]?
    let loan = lendCopy(of: range.clamped(to: 0..<layout.length)) { bytes in
      copy = bytes.withUnsafeBytes { Array($0) }
    }
    return loan == .lent ? copy : nil
  }

  /// Lends a copy of `range` to `body`, or returns the blocks that are missing.
  func lendCopy(of range: ByteRange, to body: (RawSpan) -> Void) -> Loan {
    let blocks = layout.blocks(touching: range)
    isUnchanged(opens: true)
    verify(blocks)
    // The pieces in memory are collected before the disk is read. So bytes that the writer brings
    // to the disk meanwhile are in the copy too.
    let (missing, doubtful, isInMemory, pieces) = state.withLock { state in
      (
        state.missing(in: range), state.doubtful(in: blocks),
        state.recent.hold(range, in: blocks, of: layout),
        state.recent.pieces(of: layout.bytes(of: blocks), in: blocks)
      )
    }
    guard missing.isEmpty else { return .lost(missing) }
    // All bytes are in memory, so the disk is not read.
    if isInMemory { return lend(range, from: pieces, to: body) }
    // If bytes must be compared, whole blocks are read.
    let source = doubtful.isEmpty ? range : layout.bytes(of: blocks)
    return buffers.with(source.count) { buffer in
      guard (try? data.read(source.count, at: source.lowerBound, into: &buffer)) == source.count
      else {
        drop(blocks)
        return .lost(Array(blocks))
      }
      for piece in pieces { piece.over(&buffer, source) }
      let wrong = doubtful.filter { bytes in
        let start = layout.bytes(of: bytes.block).lowerBound - source.lowerBound
        return !bytes.agree(with: buffer.span.bytes.extracting(droppingFirst: start))
      }
      guard wrong.isEmpty else { return lose(wrong) }
      let start = range.lowerBound - source.lowerBound
      body(buffer.span.bytes.extracting(start..<start + range.count))
      return .lent
    }
  }

  /// Lends the bytes of `range`, all of which are in `pieces`.
  private func lend(
    _ range: ByteRange, from pieces: [RecentPiece], to body: (RawSpan) -> Void
  ) -> Loan {
    if let extent = pieces.first?.extent, extent.holds(range) {
      extent.lend(range) { body($0) }
      return .lent
    }
    return buffers.with(range.count) { buffer in
      for piece in pieces { piece.over(&buffer, range) }
      body(buffer.span.bytes.extracting(first: range.count))
      return .lent
    }
  }

  private func lose(_ wrong: [DoubtfulBytes]) -> Loan {
    for bytes in wrong {
      let block = bytes.block..<bytes.block.advanced(by: 1)
      // If another thread has begun the block again meanwhile, the wrong bytes are gone already.
      drop(block) { $0.doubtful(in: block) == [bytes] }
    }
    return .lost(wrong.map(\.block))
  }
}

/// Buffers for short-lived copies. Each is used many times. For any thread. The lock is not held
/// while a buffer is used.
final class CopyBuffers: Sendable {
  /// The limit for buffers that are kept for the next copy. It is about the number of threads that
  /// answer reads. A buffer grows to the length of the longest read.
  private static let maxBuffers = 5

  private let free = Locked<[[UInt8]]>([])

  /// Calls `body` with a buffer of `count` bytes or more, of any content.
  func with<Result>(_ count: Int, _ body: (inout [UInt8]) -> Result) -> Result {
    var buffer = free.withLock { $0.popLast() } ?? []
    if buffer.count < count { buffer = [UInt8](repeating: 0, count: count) }
    let result = body(&buffer)
    free.withLock { [buffer] free in
      if free.count < Self.maxBuffers { free.append(buffer) }
    }
    return result
  }
}
