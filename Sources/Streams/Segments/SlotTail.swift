/// The end of the segments in front of that of a slot, if the slot needs a time in it.
struct SlotTail {
  /// The bytes of the first request. Each further request has four times as many.
  private static let first = 4 << 10
  private static let maxStep = 1 << 20
  /// Bytes and segments in front of a slot's own that it may need.
  private static let maxBytes = 16 << 20
  private static let segments = 64
  let slot: Int
  /// Bytes of the segment.
  private let size: Int
  private let cipher: AES128?
  private let vector: [UInt8]
  /// The last bytes of the segment that were taken, as they lie in its resource.
  private var taken: [UInt8] = []
  private var step = first
  /// Plain bytes behind the segment.
  private let behind: [UInt8]
  private let passed: Int

  /// Finds the segment that the one of `slot` continues: the one before it of its strand and
  /// section, unless it is missing.
  ///
  /// - Parameters:
  ///   - keys: those of the stream, as the layout numbers them.
  ///   - behind: the segment between them, which was taken as a whole.
  init?(
    _ layout: StreamLayout, before slot: Int, keys: [[UInt8]], behind: SlotTail? = nil
  ) throws(StreamError) {
    let own = layout.fragments[slot]
    let last = layout.fragments[..<slot].indices.last {
      layout.fragments[$0].strand == own.strand
    }
    guard let last, case let fragment = layout.fragments[last], fragment.section == own.section,
      !fragment.isGap, fragment.edge != nil
    else { return nil }
    self.slot = last
    size = fragment.bytes.count
    self.behind = try behind?.bytes() ?? []
    passed = (behind?.passed ?? 0) + 1
    vector = fragment.key?.vector ?? []
    guard let key = fragment.key else {
      cipher = nil
      return
    }
    guard keys.indices.contains(key.number) else { throw .malformed("key") }
    cipher = try AES128(key: keys[key.number])
  }

  /// The bytes of the segment that come next; nil if there are none, or enough were taken.
  var needs: Range<Int>? {
    let end = size - taken.count
    guard end > 0, taken.count + behind.count < Self.maxBytes, passed <= Self.segments else {
      return nil
    }
    return max(0, end - step)..<end
  }

  /// Whether the whole segment was taken.
  var isWhole: Bool { taken.count >= size }

  /// Takes the bytes that `needs` names.
  mutating func take(_ bytes: ArraySlice<UInt8>) {
    taken = bytes + taken
    step = min(step * 4, Self.maxStep)
  }

  /// Returns the plain bytes that were taken, and those behind them.
  func bytes() throws(StreamError) -> [UInt8] {
    guard let cipher else { return taken + behind }
    if isWhole { return try cipher.segment(taken[...], vector: vector) + behind }
    // The vector of a block is the one before it.
    let front = Array(taken.prefix(AES128.block))
    return try cipher.segment(taken.dropFirst(AES128.block), vector: front) + behind
  }
}
