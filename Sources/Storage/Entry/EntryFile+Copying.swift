package import Blocks
import NIOConcurrencyHelpers

/// Reads bytes, and compares those that may not be on the disk.
///
/// If the disk fails to take a page, the kernel may throw the page away. Then the old bytes, or
/// zeros, are back in its place, in the mapping too, before any flush has reported the failure. So
/// bytes that no flush has brought to the disk are compared before each use. The comparison needs a
/// copy, since the mapping may change meanwhile.
extension EntryFile {
  // MARK: Waiting for the disk, for any time

  /// Whether `lend` gives `range` without a wait for the disk, as far as can be told: the kernel
  /// may evict its pages at any time.
  package func isAtHand(_ range: ByteRange) -> Bool {
    let range = range.clamped(to: 0..<layout.length)
    guard let mapping, mapping.isOfDisk, !range.isEmpty else { return true }
    let blocks = layout.blocks(touching: range)
    guard state.withLockedValue({ $0.unverified.firstMember(in: blocks) }) == nil else {
      return false
    }
    return mapping.isInMemory(range)
      || gathered.withLockedValue { $0.runs(in: range, of: blocks) }.bytes(range) != nil
  }

  /// Lends as `lend` does, on a thread that may wait for the disk for any time: calls `body` with a
  /// copy, after the disk has returned it.
  package func lendFromDisk(_ range: ByteRange, to body: (RawSpan) -> Void) -> Loan {
    lendCopy(of: range.clamped(to: 0..<layout.length), to: body)
  }

  // MARK: Copies

  /// Returns a copy of `range`; nil unless all of it has come.
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
    verify(blocks)
    let (missing, doubtful) = state.withLockedValue { state in
      (state.missing(in: range), state.doubtful(in: blocks))
    }
    guard missing.isEmpty else { return .lost(missing) }
    // Doubtful blocks are compared as a whole.
    let source = doubtful.isEmpty ? range : layout.bytes(of: blocks)
    // Taken before the disk is read: so bytes that are written meanwhile are not missed.
    let runs = gathered.withLockedValue { $0.runs(in: source, of: blocks) }
    // Even if the disk cannot be read: these bytes have not been written to it yet.
    if let bytes = runs.bytes(range) {
      body(bytes.span.bytes)
      return .lent
    }
    return buffers.with(source.count) { buffer in
      guard (try? data.read(source.count, at: source.lowerBound, into: &buffer)) == source.count
      else {
        drop(blocks)
        return .lost(Array(blocks))
      }
      runs.over(&buffer, source)
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

  private func lose(_ wrong: [DoubtfulBytes]) -> Loan {
    for bytes in wrong {
      let block = bytes.block..<bytes.block.advanced(by: 1)
      // A block that another thread has begun anew meanwhile is not the wrong one.
      drop(block) { $0.doubtful(in: block) == [bytes] }
    }
    return .lost(wrong.map(\.block))
  }
}

/// Memory for short-lived copies, used again and again. For any thread; the lock is a leaf, and not
/// held while a buffer is used.
final class CopyBuffers: Sendable {
  /// The number of buffers: as many as threads answer reads. Each is as long as the longest read.
  private static let most = 5

  private let free = NIOLockedValueBox<[[UInt8]]>([])

  /// Calls `body` with at least `count` bytes of any content.
  func with<Result>(_ count: Int, _ body: (inout [UInt8]) -> Result) -> Result {
    var buffer = free.withLockedValue { $0.popLast() } ?? []
    if buffer.count < count { buffer = [UInt8](repeating: 0, count: count) }
    let result = body(&buffer)
    free.withLockedValue { [buffer] free in
      if free.count < Self.most { free.append(buffer) }
    }
    return result
  }
}
