import Blocks
import Filling
import Locks
import Storage

/// Stores blocks on disk. If the disk does not take them, it stores them in a small ring in memory.
/// So reading goes on in any case.
///
/// Safe from any thread, as `EntryFile` and `MemoryRing` are. Two threads must not write at once.
final class EntryStore: BlockStore {
  /// The file in the cache; nil if the disk refused to open it.
  let file: EntryFile?
  private let cache: CacheDirectory
  private let layout: BlockLayout
  private let ring: MemoryRing
  /// Called with the reason when bytes are not stored on disk.
  private let complain: @Sendable (String) -> Void
  private let readers: DiskReaders
  private let writing: Locked<Writing>
  /// Writes to the file; returns false if that fails. The closure retains the file only once:
  /// others have weak references to it, so a retain at each write would cost more than the call.
  private let goesOn: @Sendable (RawSpan, Int) -> Bool

  private struct Writing {
    /// Blocks that were lost since the last write, because the disk did not take them.
    var displaced: [BlockIndex] = []
    /// The missing end of a block whose beginning is in the file, and which has no bytes in the
    /// ring. The disk has room for it.
    var granted: ByteRange = 0..<0

    /// Removes `bytes` from the beginning of `granted`. Returns false, and removes nothing, if they
    /// are not at its beginning, or if blocks were lost.
    mutating func takes(_ bytes: ByteRange) -> Bool {
      guard displaced.isEmpty, granted.lowerBound == bytes.lowerBound,
        bytes.upperBound <= granted.upperBound
      else { return false }
      granted = bytes.upperBound..<granted.upperBound
      return true
    }
  }

  /// - Parameters:
  ///   - cachedInMemory: the capacity of the ring, in bytes.
  ///   - readers: threads that are allowed to wait for the disk.
  init(
    _ file: EntryFile?, in cache: CacheDirectory, length: Int, cachedInMemory: Int,
    readers: DiskReaders = .ofProcess, complain: @escaping @Sendable (String) -> Void
  ) {
    self.file = file
    self.cache = cache
    self.complain = complain
    self.readers = readers
    layout = BlockLayout(length: length)
    let (layout, writing) = (layout, Locked(Writing()))
    let ring = MemoryRing(layout: layout, capacity: cachedInMemory)
    (self.ring, self.writing) = (ring, writing)
    goesOn = { bytes, offset in (try? file?.write(bytes, at: offset)) != nil }
    // The file retains this closure. So the closure must not retain the file or this object.
    file?.rescueBlocks { file, blocks, error in
      complain(error.description)
      let lost = Self.rescue(blocks, of: file, to: ring, layout)
      writing.withLock { $0 = Writing(displaced: $0.displaced + lost) }
    }
  }

  var cachedBlocks: BlockSet {
    file?.cachedBlocks ?? BlockSet()
  }

  var suspects: [ByteRange] {
    file?.suspects ?? []
  }

  func suspect(_ ranges: [ByteRange]) {
    if let file { cache.suspect(ranges, of: file) }
  }

  func agrees(_ bytes: RawSpan, at offset: Int) -> Bool? {
    let range = offset..<offset + bytes.byteCount
    var agrees = false
    let outcome = lendCopy(of: range, layout.blocks(touching: range)) { kept in
      agrees = bytes.withUnsafeBytes { new in kept.withUnsafeBytes { $0.elementsEqual(new) } }
      return true
    }
    return outcome == .lent ? agrees : nil
  }

  func forget(_ blocks: Range<BlockIndex>) {
    ring.forget(blocks)
    file?.drop(blocks)
  }

  func write(_ bytes: RawSpan, at offset: Int) -> WriteOutcome {
    let all = offset..<offset + bytes.byteCount
    if writing.withLock({ $0.takes(all) }), goesOn(bytes, offset) { return .cached }
    var gone = writing.withLock { writing in
      defer { writing = Writing() }
      return writing.displaced
    }
    var done = 0
    while done < bytes.byteCount {
      let block = layout.block(at: offset + done)
      let end = min(layout.bytes(of: block).upperBound - offset, bytes.byteCount)
      gone += write(bytes.extracting(done..<end), at: offset + done, in: block)
      done = end
    }
    return gone.isEmpty ? .cached : .displaced(gone)
  }

  func lend(_ range: ByteRange, to body: (RawSpan) -> Bool) -> LendOutcome {
    guard file?.isAtHand(range) ?? true else { return .onDisk }
    let blocks = layout.blocks(touching: range)
    guard let file, !ring.holdsPart(ofAny: blocks) else {
      return lendCopy(of: range, blocks, to: body)
    }
    switch file.lend(range, to: body) {
    case .lent: return .lent
    case .lost(let blocks): return .lost(blocks)
    }
  }

  func lendCopy(of range: ByteRange, to body: (RawSpan) -> Void) -> LendOutcome {
    guard file?.isAtHand(range) ?? true else { return .onDisk }
    return lendCopy(of: range, layout.blocks(touching: range)) { bytes in
      body(bytes)
      return true
    }
  }

  func lendFromDisk(
    _ range: ByteRange, to body: @escaping @Sendable (RawSpan) -> Void,
    orLose lost: @escaping @Sendable ([BlockIndex]) -> Void
  ) {
    let read: @Sendable () -> Void = { [self] in
      let blocks = lostOnDisk(in: range, else: body)
      if !blocks.isEmpty { lost(blocks) }
    }
    let readOnDiskThread: @Sendable () -> Void = { [self] in
      readers.read(of: ObjectIdentifier(self), read)
    }
    guard let file else { return readOnDiskThread() }
    // Bytes that are still on their way to the file are lent by the thread that writes them, unless
    // some must come from the disk. All other bytes are lent by a disk thread.
    let isOnItsWay = file.whenWritten(range) {
      file.isAtHand(range) ? read() : readOnDiskThread()
    }
    if !isOnItsWay { readOnDiskThread() }
  }

  func whenWritten(_ call: @escaping @Sendable () -> Void) {
    if !(file?.whenWritten(0..<layout.length, call) ?? false) { call() }
  }

  private func lostOnDisk(
    in range: ByteRange, else body: (RawSpan) -> Void
  ) -> [BlockIndex] {
    let blocks = layout.blocks(touching: range)
    guard let file, !ring.holdsPart(ofAny: blocks) else {
      return lostBlocks(ofCopying: range, blocks, to: body)
    }
    switch file.lendFromDisk(range, to: body) {
    case .lent: return []
    case .lost(let blocks): return blocks
    }
  }

  /// Writes bytes of one block; returns the blocks that were lost.
  private func write(_ piece: RawSpan, at offset: Int, in block: BlockIndex) -> [BlockIndex] {
    guard !ring.holdsPart(ofAny: block..<block.advanced(by: 1)) else {
      return writeToRing(piece, at: offset, in: block)
    }
    switch writeToDisk(piece, at: offset, in: block) {
    case .written: return []
    case .noRoom:
      let lost = Self.move(block, from: file, to: ring, layout)
      return lost + writeToRing(piece, at: offset, in: block)
    }
  }

  private enum DiskOutcome {
    case written
    /// The disk takes no more bytes. Nothing was changed.
    case noRoom
  }

  /// Copies all blocks that `other` has. Both stores are for the same bytes.
  func copy(from other: EntryStore) {
    for block in layout.all {
      let bytes = layout.bytes(of: block)
      if let copy = other.ring.copy(of: bytes) ?? other.file?.copy(of: bytes) {
        _ = write(copy.span.bytes, at: bytes.lowerBound, in: block)
      }
    }
  }

  /// Moves blocks that the disk has not taken to the ring. Returns the blocks that were lost, such
  /// as those that the ring evicted to make room.
  private static func rescue(
    _ blocks: [BlockIndex], of file: EntryFile, to ring: MemoryRing, _ layout: BlockLayout
  ) -> [BlockIndex] {
    blocks.flatMap { move($0, from: file, to: ring, layout) }
  }

  /// Moves to the ring a block whose bytes are only in the file's memory so far. Returns the blocks
  /// that were lost.
  private static func move(
    _ block: BlockIndex, from file: EntryFile?, to ring: MemoryRing, _ layout: BlockLayout
  ) -> [BlockIndex] {
    guard let file else { return [] }
    guard let bytes = file.takeBack(block) else { return [block] }
    guard !bytes.isEmpty else { return [] }
    let start = layout.bytes(of: block).lowerBound
    return (try? ring.write(bytes.span.bytes, at: start)) ?? [block]
  }

  /// Writes bytes of a block to the file, if there is room. It first asks for room for the rest of
  /// the block too, so that the next writes need not ask. If there is less room, it asks for room
  /// for these bytes alone.
  private func writeToDisk(
    _ piece: RawSpan, at offset: Int, in block: BlockIndex
  ) -> DiskOutcome {
    guard let file else {
      complain("the cache file cannot be opened")
      return .noRoom
    }
    let missing = offset + piece.byteCount..<layout.bytes(of: block).upperBound
    var granted = 0..<0
    var room = cache.room(for: piece.byteCount + missing.count)
    if room == .enough {
      granted = missing
    } else if !missing.isEmpty {
      room = cache.room(for: piece.byteCount)
    }
    switch room {
    case .enough: break
    case .diskIsFull:
      complain(
        "the disk of the cache has too little free space; free some, or give a lower --min-free")
      return .noRoom
    case .cacheIsFull:
      complain("the cache is full of files that are being read; give a larger --cache-size")
      return .noRoom
    }
    do {
      try file.write(piece, at: offset)
      writing.withLock { $0.granted = granted }
      return .written
    } catch .outOfOrder {
      complain(StorageError.outOfOrder(offset: offset).description)
      return .noRoom
    } catch {
      complain(error.description)
      return .noRoom
    }
  }

  private func writeToRing(
    _ piece: RawSpan, at offset: Int, in block: BlockIndex
  ) -> [BlockIndex] {
    (try? ring.write(piece, at: offset)) ?? [block]
  }

  /// Lends a copy of `range`, because some of its bytes can be in the ring.
  private func lendCopy(
    of range: ByteRange, _ blocks: Range<BlockIndex>, to body: (RawSpan) -> Bool
  ) -> LendOutcome {
    let lost = lostBlocks(ofCopying: range, blocks) { _ = body($0) }
    return lost.isEmpty ? .lent : .lost(lost)
  }

  /// Hands a copy of the bytes in `range` to `body`, or returns the first block that is missing.
  private func lostBlocks(
    ofCopying range: ByteRange, _ blocks: Range<BlockIndex>, to body: (RawSpan) -> Void
  ) -> [BlockIndex] {
    var copy: [UInt8] = []
    copy.reserveCapacity(range.count)
    for block in blocks {
      let part = layout.bytes(of: block).clamped(to: range)
      guard let bytes = ring.copy(of: part) ?? file?.copy(of: part) else { return [block] }
      copy += bytes
    }
    body(copy.span.bytes)
    return []
  }
}

/// A box for the store of a version, because the store is made later than the version.
final class EntryStoreBox: Sendable {
  private let box = Locked<EntryStore?>(nil)

  var value: EntryStore? {
    get { box.withLock { $0 } }
    set { box.withLock { $0 = newValue } }
  }
}
