/// The end of a segment before a slot's own segment. A time for the slot is searched for in it.
struct SlotTail {
  /// The number of bytes in the first request. Each further request asks for four times as many
  /// bytes as the request before it, up to `maxStep`.
  private static let first = 4 << 10
  private static let maxStep = 1 << 20
  /// The limits for the bytes, and for the segments, that a slot needs before its own segment.
  private static let maxBytes = 16 << 20
  private static let segments = 64
  let slot: Int
  /// The size of the segment in bytes.
  private let size: Int
  private let cipher: AES128?
  private let vector: [UInt8]
  /// The last bytes of the segment, as many as were received so far, as they are in its resource.
  private var taken: [UInt8] = []
  private var step = first
  /// The bytes of the segments between this segment and the slot's own segment, decrypted.
  private let behind: [UInt8]
  private let passed: Int

  /// Finds the segment that the segment of `slot` continues: the previous segment of the same
  /// strand. Nil if this segment is missing, or belongs to another section.
  ///
  /// - Parameters:
  ///   - keys: all keys of the stream, in the order of `FragmentKey.number`.
  ///   - behind: the previous result, if `slot` is not the slot that is made. All its bytes were
  ///     received.
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

  /// The range of the segment that is needed next; nil if the whole segment was received, or a
  /// limit is reached.
  var needs: Range<Int>? {
    let end = size - taken.count
    guard end > 0, taken.count + behind.count < Self.maxBytes, passed <= Self.segments else {
      return nil
    }
    // Decryption begins at a block.
    let start = max(0, end - step)
    return (cipher == nil ? start : start / AES128.block * AES128.block)..<end
  }

  /// Whether the whole segment was received.
  var isWhole: Bool { taken.count >= size }

  /// Receives the bytes that `needs` names.
  mutating func take(_ bytes: ArraySlice<UInt8>) {
    taken = bytes + taken
    step = min(step * 4, Self.maxStep)
  }

  /// Returns the bytes that were received, decrypted, and the bytes of the segments behind them.
  func bytes() throws(StreamError) -> [UInt8] {
    guard let cipher else { return taken + behind }
    if isWhole { return try cipher.segment(taken[...], vector: vector) + behind }
    // The vector of a block is the encrypted block before it.
    let front = Array(taken.prefix(AES128.block))
    return try cipher.segment(taken.dropFirst(AES128.block), vector: front) + behind
  }
}
