import Blocks

/// The cached bytes that broken answers brought, until they are compared.
struct Suspects: Sendable {
  /// The bytes of an answer that ended too early.
  struct Suspect: Sendable {
    let bytes: ByteRange
    /// The part to compare, which is the last bytes.
    fileprivate(set) var place: ByteRange
    /// The offset before which the bytes of `place` agree.
    fileprivate(set) var agreed: Int
    /// True if the origin broke the answer off. If not, the fetch was cancelled, or its end is not
    /// known. Then readers get the bytes at once, and they are compared when a reader reads on.
    let isBroken: Bool
    fileprivate var reading: Reading

    /// The part that is still to be compared.
    var rest: ByteRange { agreed..<place.upperBound }
  }

  /// A decision whether readers get suspect bytes.
  fileprivate enum Reading: Hashable, Sendable {
    /// Readers get the bytes after the comparison. No reader has asked yet.
    case withheld
    /// A reader waits for the comparison, but not longer than until this time.
    case until(Duration)
    case allowed
  }

  private(set) var all: [Suspect] = []
  /// Offsets at which cancelled fetches stopped, or at which broken answers may have ended.
  private var openEnds: Set<Int> = []
  /// The blocks that readers got bytes from.
  private var given = BlockSet()
  /// True if some bytes were wrong, and will be fetched again after a backoff.
  private(set) var areWrong = false

  /// The most bytes that are fetched again after a break. After a short answer they are fewer, so a
  /// link that breaks again and again brings more than it repeats.
  static let maxOverlap = 4 << 10

  var isEmpty: Bool { all.isEmpty }

  /// The ranges that broken answers brought, for the store.
  var bytes: [ByteRange] { all.filter(\.isBroken).map(\.bytes) }

  // MARK: Suspecting

  /// Begins with the ranges that were suspect at an earlier time. It is not known whether readers
  /// got them, so they count as read. It is also not known how the answers ended that brought the
  /// `cached` bytes.
  init(_ ranges: [ByteRange] = [], cached: CachedBytes = CachedBytes(), in layout: BlockLayout?) {
    guard let layout else { return }
    openEnds = Set(cached.whole.runs(in: layout.all).map { layout.bytes(of: $0).upperBound })
    for bytes in ranges {
      suspect(bytes, isBroken: true, cached, in: layout)
      given.insert(layout.blocks(touching: bytes))
    }
  }

  /// Adds `bytes`, as far as they are cached.
  mutating func suspect(
    _ bytes: ByteRange, isBroken: Bool, _ cached: CachedBytes, in layout: BlockLayout
  ) {
    guard let place = Self.place(in: bytes, cached, in: layout) else { return }
    all.removeAll { $0.bytes == bytes }
    all.append(
      Suspect(
        bytes: bytes, place: place, agreed: place.lowerBound, isBroken: isBroken,
        reading: isBroken ? .withheld : .allowed))
  }

  /// Notes that an answer may have ended at `offset`. The next fetch that continues there compares its
  /// bytes.
  mutating func leaveOpen(at offset: Int) {
    openEnds.insert(offset)
  }

  /// True if an answer may have ended at `offset`.
  func isOpen(at offset: Int) -> Bool {
    openEnds.contains(offset)
  }

  /// Chooses the places to compare again, after the cache has lost `blocks`.
  mutating func forget(_ blocks: [BlockIndex], _ cached: CachedBytes, in layout: BlockLayout) {
    if !openEnds.isEmpty {
      let gone = Set(blocks)
      openEnds = Set(
        openEnds.map { end in
          var end = end
          while end > 0, gone.contains(layout.block(at: end - 1)) {
            end = layout.bytes(of: layout.block(at: end - 1)).lowerBound
          }
          return end
        })
    }
    guard !all.isEmpty else { return }
    all = all.compactMap { suspect in
      guard let place = Self.place(in: suspect.bytes, cached, in: layout),
        suspect.isBroken || place == suspect.place
      else { return nil }
      var suspect = suspect
      if suspect.place != place { (suspect.place, suspect.agreed) = (place, place.lowerBound) }
      return suspect
    }
  }

  // MARK: Comparing

  /// Returns the part of `bytes` to compare with cached bytes; nil if there is none.
  func doubt(in bytes: ByteRange) -> ByteRange? {
    guard !all.isEmpty else { return nil }
    return all.lazy.filter { bytes.contains($0.agreed) }
      .map { $0.rest.clamped(to: bytes) }.first { !$0.isEmpty }
  }

  /// Returns the suspect whose next bytes to compare are `bytes`; nil if there is none.
  func suspect(of bytes: ByteRange) -> Suspect? {
    index(of: bytes).map { all[$0] }
  }

  /// Notes that `bytes` agree. Returns their suspect if all of it agrees now, and so is no longer
  /// suspect.
  mutating func agreed(_ bytes: ByteRange) -> Suspect? {
    guard let index = index(of: bytes) else { return nil }
    all[index].agreed = bytes.upperBound
    guard all[index].rest.isEmpty else { return nil }
    let suspect = all.remove(at: index)
    openEnds.remove(suspect.place.upperBound)
    return suspect
  }

  /// Notes that the bytes of `blocks` were wrong. Returns the blocks that readers got bytes of.
  mutating func wereWrong(_ blocks: Range<BlockIndex>) -> [Range<BlockIndex>] {
    areWrong = true
    let read = given.runs(in: blocks)
    given.remove(blocks)
    return read
  }

  /// Notes that wrong bytes are being fetched again.
  mutating func mend() {
    areWrong = false
  }

  // MARK: Reading

  /// Notes that a reader got bytes of `blocks`.
  mutating func gave(_ blocks: Range<BlockIndex>) {
    if !given.contains(all: blocks) { given.insert(blocks) }
  }

  /// True if `range` must not be read before a comparison.
  func withholds(_ range: ByteRange) -> Bool {
    all.contains { $0.reading != .allowed && $0.bytes.overlaps(range) }
  }

  /// Notes that a reader waits for `range`. Its withheld bytes are released at the time `end`,
  /// because the origin may be away.
  mutating func isAwaited(_ range: ByteRange, until end: Duration) {
    for index in all.indices
    where all[index].reading == .withheld && all[index].bytes.overlaps(range) {
      all[index].reading = .until(end)
    }
  }

  /// Withholds uncompared bytes again for a new reader, because the origin may be back by now.
  mutating func withholdAgain(except awaited: [ByteRange]) {
    for index in all.indices where all[index].isBroken && !awaited.contains(all[index].bytes) {
      all[index].reading = .withheld
    }
  }

  /// Releases suspect bytes, because the `bytes` to compare them with did not come.
  mutating func allowReading(of bytes: ByteRange) {
    for index in all.indices where all[index].place.overlaps(bytes) {
      all[index].reading = .allowed
    }
  }

  /// The next time at which bytes are released uncompared; nil if no reader waits for a comparison.
  var endOfWithholding: Duration? {
    all.lazy.compactMap { suspect in
      guard case .until(let end) = suspect.reading else { return nil }
      return end
    }.min()
  }

  /// Releases the bytes whose readers have waited long enough for a comparison. Returns false if
  /// there are none.
  mutating func release(at now: Duration) -> Bool {
    guard let end = endOfWithholding, end <= now else { return false }
    for index in all.indices {
      if case .until(let end) = all[index].reading, end <= now { all[index].reading = .allowed }
    }
    return true
  }

  // MARK: Private

  private func index(of bytes: ByteRange) -> Int? {
    all.firstIndex { $0.agreed == bytes.lowerBound && bytes.upperBound <= $0.place.upperBound }
  }

  /// Returns the part of `bytes` to compare, which is the last bytes of them that have come.
  private static func place(
    in bytes: ByteRange, _ cached: CachedBytes, in layout: BlockLayout
  ) -> ByteRange? {
    let bytes = bytes.clamped(to: 0..<layout.length)
    let count = min(Self.maxOverlap, max(1, bytes.count / 8))
    for block in layout.blocks(touching: bytes).reversed() {
      let end = min(cached.end(of: block, in: layout), bytes.upperBound)
      let start = max(layout.bytes(of: block).lowerBound, bytes.lowerBound)
      guard end > start else { continue }
      // The place may reach back into the previous block, if that is complete.
      let before = block.value > 0 && cached.whole.contains(block.advanced(by: -1))
      return max(before ? bytes.lowerBound : start, end - count)..<end
    }
    return nil
  }
}
