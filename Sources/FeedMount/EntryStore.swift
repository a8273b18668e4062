import Blocks
import Storage
import Streaming

/// Keeps on disk what the disk takes, and what it does not take in a small ring in memory: reading
/// goes on, whatever the disk does.
///
/// For any thread, as `EntryFile` and `MemoryRing` are; writes come from one at a time.
final class EntryStore: BlockStore {
  /// Nil where the disk refused to open it.
  let file: EntryFile?
  private let cache: CacheDirectory
  private let layout: BlockLayout
  private let ring: MemoryRing
  /// Told why something is not kept on disk.
  private let complain: @Sendable (String) -> Void

  /// - Parameter keptInMemory: bytes, of what the disk does not take.
  init(
    _ file: EntryFile?, in cache: CacheDirectory, length: Int, keptInMemory: Int,
    complain: @escaping @Sendable (String) -> Void
  ) {
    self.file = file
    self.cache = cache
    self.complain = complain
    layout = BlockLayout(length: length)
    ring = MemoryRing(layout: layout, capacity: keptInMemory)
  }

  var held: BlockSet {
    file?.held ?? BlockSet()
  }

  func write(_ bytes: RawSpan, at offset: Int) -> WriteOutcome {
    var gone: [BlockIndex] = []
    var done = 0
    while done < bytes.byteCount {
      let block = layout.block(at: offset + done)
      let end = min(layout.bytes(of: block).upperBound - offset, bytes.byteCount)
      gone += write(bytes.extracting(done..<end), at: offset + done, in: block)
      done = end
    }
    return gone.isEmpty ? .kept : .displaced(gone)
  }

  func lend(_ range: ByteRange, to body: (RawSpan) -> Bool) -> LendOutcome {
    let blocks = layout.blocks(touching: range)
    guard let file, !ring.holdsPart(ofAny: blocks) else {
      return lendCopy(of: range, blocks, to: body)
    }
    switch file.lend(range, to: body) {
    case .lent: return .lent
    case .lost(let blocks): return .lost(blocks)
    }
  }

  /// One block's piece; returns what had to go.
  private func write(_ piece: RawSpan, at offset: Int, in block: BlockIndex) -> [BlockIndex] {
    if !ring.holdsPart(ofAny: block..<block.advanced(by: 1)) {
      if writeToDisk(piece, at: offset) { return [] }
      // The block goes on in memory: what the disk has of it moves along.
      let start = layout.bytes(of: block).lowerBound
      if start < offset, let begun = file?.copy(of: start..<offset) {
        return writeToRing(begun.span.bytes, at: start, in: block)
          + writeToRing(piece, at: offset, in: block)
      }
    }
    return writeToRing(piece, at: offset, in: block)
  }

  private func writeToDisk(_ piece: RawSpan, at offset: Int) -> Bool {
    guard let file else {
      complain("its cache file cannot be opened")
      return false
    }
    switch cache.room(for: piece.byteCount) {
    case .enough: break
    case .diskIsFull:
      complain("too little space is free on its disk")
      return false
    case .cacheIsFull:
      complain("the cache takes up all it may, and what is in it is being read")
      return false
    }
    do {
      try file.write(piece, at: offset)
      return true
    } catch {
      complain(error.description)
      return false
    }
  }

  private func writeToRing(
    _ piece: RawSpan, at offset: Int, in block: BlockIndex
  ) -> [BlockIndex] {
    (try? ring.write(piece, at: offset)) ?? [block]
  }

  /// For a range of which some is in memory.
  private func lendCopy(
    of range: ByteRange, _ blocks: Range<BlockIndex>, to body: (RawSpan) -> Bool
  ) -> LendOutcome {
    var copy: [UInt8] = []
    copy.reserveCapacity(range.count)
    for block in blocks {
      let part = layout.bytes(of: block).clamped(to: range)
      guard let bytes = ring.copy(of: part) ?? file?.copy(of: part) else { return .lost([block]) }
      copy += bytes
    }
    _ = body(copy.span.bytes)
    return .lent
  }
}
