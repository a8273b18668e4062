import Blocks

/// The cached bytes that wait for a comparison, because the answers that brought them broke off or
/// were cancelled.
struct Suspects: Sendable {
  /// The bytes of an answer that ended too early, or may have.
  struct Suspect: Sendable {
    let bytes: ByteRange
    /// The last of `bytes`. They are compared, and the result counts for all of them.
    fileprivate(set) var place: ByteRange
    /// The offset up to which the bytes of `place` were compared, and agree.
    fileprivate(set) var agreed: Int
    /// True if the origin broke the answer off. If false, the fetch was cancelled, or its end is
    /// not known. Then readers get the bytes at once. They are compared when a fetch continues
    /// behind them.
    let isBroken: Bool
    fileprivate var reading: Reading

    /// The part that is still to be compared.
    var rest: ByteRange { agreed..<place.upperBound }
  }

  /// Whether readers get suspect bytes.
  fileprivate enum Reading: Hashable, Sendable {
    /// Readers get the bytes only after the comparison. No reader has asked for them yet.
    case withheld
    /// A reader waits for the comparison, until this time at most. Then it gets the bytes
    /// uncompared.
    case until(Duration)
    /// Readers get the bytes, though they were not compared.
    case allowed
  }

  private(set) var all: [Suspect] = []
  /// The offsets at which cancelled fetches stopped, or at which answers of unknown end may have
  /// broken off.
  private var openEnds: Set<Int> = []
  /// The blocks of which readers got bytes.
  private var given = BlockSet()
  /// True if some bytes were wrong, and will be fetched again after a backoff.
  private(set) var areWrong = false

  /// The limit for the bytes that are fetched again after a break. They are also no more than an
  /// eighth of the answer. So a link that breaks again and again still brings more than it repeats.
  static let maxOverlap = 4 << 10

  var isEmpty: Bool { all.isEmpty }

  /// The ranges that broken answers brought. The store remembers them.
  var bytes: [ByteRange] { all.filter(\.isBroken).map(\.bytes) }

  // MARK: Suspecting

  /// Creates the suspects with the ranges that an earlier use has left. Readers may have got their
  /// bytes, so they count as read. It is not known how the answers ended that brought the `cached`
  /// bytes. So each of their extents may end in a break.
  init(_ ranges: [ByteRange] = [], cached: CachedBytes = CachedBytes(), in layout: BlockLayout?) {
    guard let layout else { return }
    openEnds = Set(cached.whole.runs(in: layout.all).map { layout.bytes(of: $0).upperBound })
    for bytes in ranges {
      suspect(bytes, isBroken: true, cached, in: layout)
      given.insert(layout.blocks(touching: bytes))
    }
  }

  /// Adds `bytes`, unless none of them are cached.
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

  /// Notes that an answer may have broken off at `offset`. The next fetch that continues there
  /// begins a little before, to compare.
  mutating func leaveOpen(at offset: Int) {
    openEnds.insert(offset)
  }

  /// Returns whether an answer may have broken off at `offset`.
  func isOpen(at offset: Int) -> Bool {
    openEnds.contains(offset)
  }

  /// Moves the places to compare back to bytes that are still cached, after the cache has lost
  /// `blocks`.
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

  /// Notes that `bytes` agree. Returns their suspect if all of its place agrees now. It is removed
  /// then.
  mutating func agreed(_ bytes: ByteRange) -> Suspect? {
    guard let index = index(of: bytes) else { return nil }
    all[index].agreed = bytes.upperBound
    guard all[index].rest.isEmpty else { return nil }
    let suspect = all.remove(at: index)
    openEnds.remove(suspect.place.upperBound)
    return suspect
  }

  /// Notes that the bytes of `blocks` were wrong. Returns those of the blocks of which readers got
  /// bytes.
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

  /// Returns whether `range` must not be read before a comparison.
  func withholds(_ range: ByteRange) -> Bool {
    all.contains { $0.reading != .allowed && $0.bytes.overlaps(range) }
  }

  /// Notes that a reader waits for `range`. At the time `end`, it gets the bytes even if they were
  /// not compared, because the origin may be away.
  mutating func isAwaited(_ range: ByteRange, until end: Duration) {
    for index in all.indices
    where all[index].reading == .withheld && all[index].bytes.overlaps(range) {
      all[index].reading = .until(end)
    }
  }

  /// Withholds bytes of broken answers again, except the ranges `awaited`, for which a read waits.
  /// There is a new reader, and the origin may be back.
  mutating func withholdAgain(except awaited: [ByteRange]) {
    for index in all.indices where all[index].isBroken && !awaited.contains(all[index].bytes) {
      all[index].reading = .withheld
    }
  }

  /// Allows reading of suspect bytes, because the `bytes` to compare them with did not come.
  mutating func allowReading(of bytes: ByteRange) {
    for index in all.indices where all[index].place.overlaps(bytes) {
      all[index].reading = .allowed
    }
  }

  /// The next time at which readers get bytes uncompared; nil if no reader waits for a comparison.
  var endOfWithholding: Duration? {
    all.lazy.compactMap { suspect in
      guard case .until(let end) = suspect.reading else { return nil }
      return end
    }.min()
  }

  /// Allows reading of the bytes whose readers have waited long enough for a comparison. Returns
  /// false if there are none.
  mutating func release(at now: Duration) -> Bool {
    guard let end = endOfWithholding, end <= now else { return false }
    for index in all.indices {
      if case .until(let end) = all[index].reading, end <= now { all[index].reading = .allowed }
    }
    return true
  }

  // MARK: Private

  /// Returns the index of the suspect whose next bytes to compare are `bytes`.
  private func index(of bytes: ByteRange) -> Int? {
    all.firstIndex { $0.agreed == bytes.lowerBound && bytes.upperBound <= $0.place.upperBound }
  }

  /// Returns the last of `bytes` that are cached, which are compared; nil if none are.
  private static func place(
    in bytes: ByteRange, _ cached: CachedBytes, in layout: BlockLayout
  ) -> ByteRange? {
    let bytes = bytes.clamped(to: 0..<layout.length)
    let count = min(Self.maxOverlap, max(1, bytes.count / 8))
    for block in layout.blocks(touching: bytes).reversed() {
      let end = min(cached.end(of: block, in: layout), bytes.upperBound)
      let start = max(layout.bytes(of: block).lowerBound, bytes.lowerBound)
      guard end > start else { continue }
      // The place may begin in the block before, if that is complete.
      let before = block.value > 0 && cached.whole.contains(block.advanced(by: -1))
      return max(before ? bytes.lowerBound : start, end - count)..<end
    }
    return nil
  }
}
