extension BlockSet {
  /// The bytes of the members, in ascending order, as at most so many stretches: where there are more,
  /// the smallest gaps between them are passed over.
  package func stretches(in layout: BlockLayout, atMost limit: Int) -> [ByteRange] {
    let runs = runs(in: layout.all).map { layout.bytes(of: $0) }
    guard runs.count > limit, limit > 0 else { return runs }
    let gaps = runs.indices.dropFirst().map { runs[$0].lowerBound - runs[$0 - 1].upperBound }
    let kept = gaps.indices.sorted { (gaps[$0], $0) > (gaps[$1], $1) }.prefix(limit - 1).sorted()
    let starts = [0] + kept.map { $0 + 1 }
    return zip(starts, starts.dropFirst() + [runs.count]).map {
      runs[$0].lowerBound..<runs[$1 - 1].upperBound
    }
  }
}
