package import Blocks
import NIOConcurrencyHelpers

/// Bytes that are read, and compared if they may not be on the disk.
///
/// A page that the disk fails to take may be thrown away by the kernel: what was there before it, or
/// zeros, is back in its place, in the mapping too, before any flush has said that it failed. So what
/// no flush has brought to the disk yet is believed only after comparison, each time; and what is
/// compared has to be a copy, since the mapping may change under it.
extension EntryFile {
  // MARK: Waiting for the disk, which takes whatever time it takes

  /// Whether `lend` gives `range` without waiting for the disk, as far as that can be told: the kernel may let
  /// go of its pages at any time.
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

  /// As `lend`, for a thread that may wait for the disk as long as that takes: `body` is called with a copy,
  /// after the disk has given it.
  package func lendFromDisk(_ range: ByteRange, to body: (RawSpan) -> Void) -> Loan {
    lendCopy(of: range.clamped(to: 0..<layout.length), to: body)
  }

  // MARK: Copies

  /// A copy of `range`; nil unless all of it has come.
  package func copy(of range: ByteRange) -> [UInt8]? {
    var copy: [UInt8]?
    let loan = lendCopy(of: range.clamped(to: 0..<layout.length)) { bytes in
      copy = bytes.withUnsafeBytes { Array($0) }
    }
    return loan == .lent ? copy : nil
  }

  /// Hands a copy of `range` to `body`, or says what of it is not there.
  func lendCopy(of range: ByteRange, to body: (RawSpan) -> Void) -> Loan {
    let blocks = layout.blocks(touching: range)
    verify(blocks)
    let (missing, doubtful) = state.withLockedValue { state in
      (state.missing(in: range), state.doubtful(in: blocks))
    }
    guard missing.isEmpty else { return .lost(missing) }
    // What is compared is compared as a whole.
    let source = doubtful.isEmpty ? range : layout.bytes(of: blocks)
    // Before the disk is read: what is written meanwhile is here still.
    let runs = gathered.withLockedValue { $0.runs(in: source, of: blocks) }
    // A disk that cannot even be read has no part in what has not got there yet.
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
      // What another thread has begun anew meanwhile is not what was found wrong.
      drop(block) { $0.doubtful(in: block) == [bytes] }
    }
    return .lost(wrong.map(\.block))
  }
}

/// Memory for copies that are needed for a moment, used over and over. For any thread; the lock is a
/// leaf, and not held while a buffer is used.
final class CopyBuffers: Sendable {
  /// Buffers that are kept: as many as threads answer reads. Each is as long as the longest read.
  private static let most = 5

  private let free = NIOLockedValueBox<[[UInt8]]>([])

  /// Calls `body` with at least `count` bytes, whatever is in them.
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
