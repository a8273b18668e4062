import Blocks
import Streaming
import Streams

/// Makes parts of slots whose samples do not lie in the order of the file: picture and sound in one
/// fragment. Their tables tell which ranges of the fragment a part needs.
extension FilmReader {
  /// A shorter fragment is fetched as a whole. Its bytes cost no more than further requests.
  static let leastParted = 512 << 10
  /// The ranges of one part that are asked for apart: picture, sound, and what lies elsewhere.
  static let mostRanges = 3

  /// Whether only the part of a slot in `range` is made. What is wanted as a whole is made for all
  /// fetches at once, by one request. If a reader reads on, a fetch ahead comes to the beginning of a
  /// slot, and the next one to its rest.
  func isMadeInPart(_ slot: Int, of range: ByteRange, for fetch: FetchID) -> Bool {
    let fragment = layout.fragments[slot]
    let isWanted = made[slot].map { $0.isWhole || $0.work != nil } ?? false
    guard !isWanted, !fragment.isGap, fragment.key == nil,
      layout.strands[fragment.strand].format == .movie,
      fragment.bytes.count > Self.leastParted
    else { return false }
    let own = layout.bytes(ofSlot: slot)
    let isAhead = urgencies[fetch].map { $0 != .demand } ?? false
    let readsOn = isAhead && range.lowerBound <= own.lowerBound
    if readsOn, fragment.bytes.count <= Self.mostUnwanted { return false }
    return range.clamped(to: own) != own
  }

  /// Delivers a part of a slot while its ranges come.
  func deliver(
    inPart part: Range<Int>, ofSlot slot: Int, _ delivery: inout Delivery
  ) async throws(StreamTrouble) {
    let fragment = layout.fragments[slot]
    let start = fragment.bytes.lowerBound
    if maps[slot] == nil {
      delivery.rest()
      try await findMap(slot, delivery.outlet.fetch)
    }
    guard let pieces = maps[slot]?.cut(to: part) else { throw StreamTrouble(.failed, nil) }
    let ranges = pieces.sources(joining: Self.widestGap, atMost: Self.mostRanges)
    let runs = ranges.map { range in
      ResourceRun(
        resource: fragment.resource, bytes: start + range.lowerBound..<start + range.upperBound,
        slots: slot...slot)
    }
    for run in runs { begin(run, for: delivery.outlet.fetch) }
    for piece in pieces {
      switch piece {
      case .bytes(let bytes): delivery.add(bytes[...])
      case .zeros(let count): delivery.add(zeros: count)
      case .range(let range):
        let first = start + range.lowerBound
        guard let run = runs.first(where: { $0.bytes.contains(first) }) else {
          throw StreamTrouble(.failed, nil)
        }
        try await add(first..<first + range.count, of: run, &delivery)
      }
    }
  }

  /// Delivers bytes of a run, whose samples may lie in any order.
  private func add(
    _ range: ByteRange, of run: ResourceRun, _ delivery: inout Delivery
  ) async throws(StreamTrouble) {
    var place = range.lowerBound
    while place < range.upperBound {
      if run.available(from: place).isEmpty { try await fill(run, to: place + 1, &delivery) }
      let bytes = run.available(from: place).prefix(range.upperBound - place)
      delivery.add(bytes)
      place += bytes.count
    }
  }
}

extension [SlotPiece] {
  /// Returns the ranges of the fragment that the pieces need, in order.
  ///
  /// - Parameters:
  ///   - gap: bytes between two ranges that are taken with them.
  ///   - most: the number of ranges. If there were more, one range has them all.
  func sources(joining gap: Int, atMost most: Int) -> [Range<Int>] {
    var joined: [Range<Int>] = []
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = joined.last, range.lowerBound - last.upperBound <= gap {
        joined[joined.count - 1] = last.lowerBound..<Swift.max(last.upperBound, range.upperBound)
      } else {
        joined.append(range)
      }
    }
    guard joined.count > most, let first = joined.first, let last = joined.last else {
      return joined
    }
    return [first.lowerBound..<last.upperBound]
  }
}
