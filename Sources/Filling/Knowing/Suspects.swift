import Blocks

/// The cached bytes that must still be compared with the origin's, because the answers that brought
/// them broke off or were cancelled.
struct Suspects: Sendable {
  /// The bytes of an answer that ended too early, or whose end is not known.
  struct Suspect: Sendable {
    let bytes: ByteRange
    /// The last few of `bytes`. Only they are compared, and the result counts for all of `bytes`.
    fileprivate(set) var place: ByteRange
    /// The offset up to which the bytes of `place` were compared, and agree.
    fileprivate(set) var agreed: Int
    /// True if the answer broke off. False if its fetch was cancelled, or if the end of the answer
    /// is not known. If false, readers get the bytes at once, and the bytes are compared when a
    /// fetch continues behind them.
    let isBroken: Bool
    fileprivate var reading: Reading

    /// The part of `place` that is still to be compared.
    var rest: ByteRange { agreed..<place.upperBound }
  }

  /// Whether readers get suspect bytes.
  fileprivate enum Reading: Hashable, Sendable {
    /// Readers get the bytes only after the comparison. No reader has asked for them yet.
    case withheld
    /// A reader waits for the comparison, at most until this time. After it, the reader gets the
    /// bytes uncompared.
    case until(Duration)
    /// Readers get the bytes, although these were not compared.
    case allowed
  }

  private(set) var all: [Suspect] = []
  /// The offsets at which a fetch was cancelled, or at which an answer of unknown end may have
  /// broken off.
  private var openEnds: Set<Int> = []
  /// The blocks of which readers got bytes.
  private var given = BlockSet()
  /// True if some bytes were wrong, and will be fetched again after a backoff.
  private(set) var areWrong = false

  /// The largest number of bytes that are fetched again after a break. Also, at most an eighth of
  /// the broken answer is fetched again. So a link that breaks again and again still brings more
  /// new bytes than repeated ones.
  static let maxOverlap = 4 << 10

  var isEmpty: Bool { all.isEmpty }

  /// The ranges that broken answers brought. The store saves them.
  var bytes: [ByteRange] { all.filter(\.isBroken).map(\.bytes) }

  // MARK: Suspecting

  /// Creates the suspects with the `ranges` that an earlier use has left. Readers may have got the
  /// bytes of these ranges, so they count as read. It is not known how the answers ended that
  /// brought the `cached` bytes. So the end of each cached extent counts as a possible break.
  init(_ ranges: [ByteRange] = [], cached: CachedBytes = CachedBytes(), in layout: BlockLayout?) {
    guard let layout else { return }
    openEnds = Set(cached.whole.runs(in: layout.all).map { layout.bytes(of: $0).upperBound })
    for bytes in ranges {
      suspect(bytes, isBroken: true, cached, in: layout)
      given.insert(layout.blocks(touching: bytes))
    }
  }

  /// Adds `bytes` if any of them are cached.
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
  /// begins a little before `offset`, to compare the bytes there.
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

  /// Returns the first part of `bytes` that must be compared with cached bytes; nil if there is
  /// none.
  func doubt(in bytes: ByteRange) -> ByteRange? {
    guard !all.isEmpty else { return nil }
    return all.lazy.filter { bytes.contains($0.agreed) }
      .map { $0.rest.clamped(to: bytes) }.first { !$0.isEmpty }
  }

  /// Returns the suspect whose comparison goes on with `bytes`; nil if there is none.
  func suspect(of bytes: ByteRange) -> Suspect? {
    index(of: bytes).map { all[$0] }
  }

  /// Notes that `bytes` agree with the cached bytes. If this ends the comparison of a suspect,
  /// removes that suspect and returns it. Otherwise returns nil.
  mutating func agreed(_ bytes: ByteRange) -> Suspect? {
    guard let index = index(of: bytes) else { return nil }
    all[index].agreed = bytes.upperBound
    guard all[index].rest.isEmpty else { return nil }
    let suspect = all.remove(at: index)
    openEnds.remove(suspect.place.upperBound)
    return suspect
  }

  /// Notes that the bytes of `blocks` were wrong. Returns the blocks among them of which readers
  /// already got bytes.
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

  /// Notes that a reader waits for `range`. At the time `end`, the reader gets the bytes even if
  /// they were not compared, because the origin may be unreachable.
  mutating func isAwaited(_ range: ByteRange, until end: Duration) {
    for index in all.indices
    where all[index].reading == .withheld && all[index].bytes.overlaps(range) {
      all[index].reading = .until(end)
    }
  }

  /// Withholds the bytes of broken answers again, because there is a new reader, and the origin may
  /// be reachable again. The ranges `awaited`, for which a read waits, stay as they are.
  mutating func withholdAgain(except awaited: [ByteRange]) {
    for index in all.indices where all[index].isBroken && !awaited.contains(all[index].bytes) {
      all[index].reading = .withheld
    }
  }

  /// Allows reading of suspect bytes, because the fetch of `bytes`, which were to be compared with
  /// them, has failed.
  mutating func allowReading(of bytes: ByteRange) {
    for index in all.indices where all[index].place.overlaps(bytes) {
      all[index].reading = .allowed
    }
  }

  /// The next time at which a reader gets bytes uncompared; nil if no reader waits for a
  /// comparison.
  var endOfWithholding: Duration? {
    all.lazy.compactMap { suspect in
      guard case .until(let end) = suspect.reading else { return nil }
      return end
    }.min()
  }

  /// Allows reading of the bytes whose readers have waited long enough for a comparison. Returns
  /// false if there are no such bytes.
  mutating func release(at now: Duration) -> Bool {
    guard let end = endOfWithholding, end <= now else { return false }
    for index in all.indices {
      if case .until(let end) = all[index].reading, end <= now { all[index].reading = .allowed }
    }
    return true
  }

  // MARK: Private

  /// Returns the index of the suspect whose comparison goes on with `bytes`; nil if there is none.
  private func index(of bytes: ByteRange) -> Int? {
    all.firstIndex { $0.agreed == bytes.lowerBound && bytes.upperBound <= $0.place.upperBound }
  }

  /// Returns the range at the end of the cached part of `bytes` that must be compared; nil if none
  /// of `bytes` are cached.
  private static func place(
    in bytes: ByteRange, _ cached: CachedBytes, in layout: BlockLayout
  ) -> ByteRange? {
    let bytes = bytes.clamped(to: 0..<layout.length)
    let count = min(Self.maxOverlap, max(1, bytes.count / 8))
    for block in layout.blocks(touching: bytes).reversed() {
      let end = min(cached.end(of: block, in: layout), bytes.upperBound)
      let start = max(layout.bytes(of: block).lowerBound, bytes.lowerBound)
      guard end > start else { continue }
      // The range can begin in the previous block, if that block is complete.
      let before = block.value > 0 && cached.whole.contains(block.advanced(by: -1))
      return max(before ? bytes.lowerBound : start, end - count)..<end
    }
    return nil
  }
}
