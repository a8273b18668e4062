/// A segment after a slot's own segment, while the slot needs the first bytes of it.
struct SlotEdge {
  /// The number of bytes in the first request. Each further request asks for four times as many
  /// bytes as the request before it, up to `maxStep`.
  private static let first = 4 << 10
  private static let maxStep = 1 << 20
  /// The limits for the bytes, and for the segments, that a slot needs after its own segment.
  private static let maxBytes = 16 << 20
  private static let segments = 64
  let slot: Int
  let edge: SegmentEdge
  /// The size of the segment in bytes.
  let size: Int
  /// The number of bytes of this segment that were received.
  private(set) var taken = 0
  private(set) var step = first
  /// The number of bytes of all following segments that were received.
  private(set) var all: Int
  private let passed: Int

  /// Finds the segment that continues the segment of `slot`: the next segment of the same strand.
  /// Nil if this segment is missing, or belongs to another section.
  ///
  /// - Parameter before: the previous result, if `slot` is not the slot that is made.
  init?(_ layout: StreamLayout, behind slot: Int, before: SlotEdge? = nil) {
    let own = layout.fragments[slot]
    let next = layout.fragments[(slot + 1)...].indices.first {
      layout.fragments[$0].strand == own.strand
    }
    guard let next, case let fragment = layout.fragments[next], fragment.section == own.section,
      !fragment.isGap, let edge = fragment.edge
    else { return nil }
    (self.slot, self.edge) = (next, edge)
    (all, passed) = (before?.all ?? 0, (before?.passed ?? 0) + 1)
    size = fragment.bytes.count
  }

  /// Whether a limit is reached, so that no more bytes are allowed.
  var isLast: Bool { all >= Self.maxBytes || passed > Self.segments }

  /// Notes how many bytes were received. Throws `malformed` if a limit was reached before.
  mutating func take(_ count: Int) throws(StreamError) {
    guard !isLast else {
      throw .malformed("a picture or a piece of sound that does not end")
    }
    taken += count
    all += count
    step = min(step * 4, Self.maxStep)
  }
}
