package import Blocks

/// Whether an answer with another entity tag must be judged, because it may be of another version.
struct TagDoubt: Sendable {
  /// True if an answer had another entity tag. Stays true until bytes under that tag were compared
  /// with cached bytes.
  var isOpen = false
  /// The comparison that is under way; nil if none is.
  var comparison: FetchID?
  /// The number of comparisons that failed because the store had lost the cached bytes.
  var losses = 0

  /// The limit for `losses`. Without it, a store that was emptied would cost a request for each of
  /// its blocks.
  static let maxLosses = 8
}

/// The outcome of a comparison of cached bytes with the origin's bytes under another entity tag.
package enum Comparison: Hashable, Sendable {
  case same, different
  /// The cached bytes of these blocks are gone.
  case lost([BlockIndex])
  /// The origin sent only the tag of the version, so nothing was learned about the other tag.
  case undecided
  /// The comparison brought no bytes.
  case ended(FetchEnd)
}

/// Decides whether another entity tag means another version.
///
/// The nodes behind one address may give the same bytes different tags. So another tag with the
/// same length does not prove another version. A few cached bytes are compared with the origin's.
/// Meanwhile nothing else is fetched, but cached bytes can be read.
extension FillState {
  /// The number of bytes that are compared at each place.
  static let compared = 4 << 10

  /// Notes that an answer has another entity tag than the version, though the same length.
  package mutating func doubted(at now: Duration) -> [Action] {
    guard !tags.isOpen, !isStale, !hasEnded, !access.isGrowing, layout != nil else { return [] }
    let dropped = dropAll()
    tags = TagDoubt(isOpen: true)
    return dropped + compareTags(at: now)
  }

  /// Notes the outcome of `comparison`.
  package mutating func compared(
    _ comparison: FetchID, _ outcome: Comparison, at now: Duration
  ) -> [Action] {
    guard tags.comparison == comparison else { return [] }
    tags.comparison = nil
    switch outcome {
    case .same:
      tags.isOpen = false
      trouble.end()
      return [.ignoreTags] + demand(at: now) + (hasHandles ? fetchIndex(at: now) : [])
        + fetchAhead(at: now) + fetchParts(at: now)
    case .different: return becomeStale()
    case .lost(let blocks):
      tags.losses += 1
      return tags.losses > TagDoubt.maxLosses ? becomeStale() : lost(blocks, at: now)
    case .undecided:
      tags.isOpen = false
      return compareLater(answered: true, at: now) + demand(at: now)
    case .ended(let end): return ended(end, at: now)
    }
  }

  /// Starts a comparison if an answer had another tag, and no comparison is under way. If no bytes
  /// are cached, there is nothing to compare, and the other tag counts as another version.
  mutating func compareTags(at now: Duration) -> [Action] {
    guard tags.isOpen, tags.comparison == nil, mayAsk, trouble.isOver(at: now)
    else { return [] }
    let places = placesToCompare()
    guard !places.isEmpty else { return becomeStale() }
    lastFetch = lastFetch.next
    tags.comparison = lastFetch
    return [.compare(lastFetch, places)]
  }

  /// Cancels the comparison that is under way. A later comparison must still judge the other tag.
  mutating func dropComparison() -> [Action] {
    guard let comparison = tags.comparison else { return [] }
    tags.comparison = nil
    return [.cancel(comparison)]
  }

  // MARK: Private

  /// Returns the bytes to compare: some of the first block that has cached bytes, some of the last
  /// such block, and some of a random block between them.
  private mutating func placesToCompare() -> [ByteRange] {
    guard let layout else { return [] }
    var known = cached.whole
    for (block, count) in cached.partial where count > 0 { known.insert(block) }
    let runs = known.runs(in: layout.all)
    guard let first = runs.first?.lowerBound, let last = runs.last?.upperBound.advanced(by: -1)
    else { return [] }
    var places = [cachedBytes(of: first, in: layout).prefix(Self.compared)]
    let between = runs.reduce(0) { $0 + $1.count } - 2
    if between > 0 {
      let block = block(at: 1 + drawn(below: between), in: runs) ?? first
      let bytes = cachedBytes(of: block, in: layout)
      let step = drawn(below: (bytes.count - 1) / Self.compared + 1)
      places.append(bytes.dropFirst(step * Self.compared).prefix(Self.compared))
    }
    let end = cachedBytes(of: last, in: layout).suffix(Self.compared)
    if !places.contains(where: { $0.overlaps(end) }) { places.append(end) }
    return places
  }

  /// Returns the bytes of `block` that are cached.
  private func cachedBytes(of block: BlockIndex, in layout: BlockLayout) -> ByteRange {
    layout.bytes(of: block).lowerBound..<cached.end(of: block, in: layout)
  }

  /// Returns the block with the index `place` among all blocks of `runs`.
  private func block(at place: Int, in runs: [Range<BlockIndex>]) -> BlockIndex? {
    var left = place
    for run in runs {
      if left < run.count { return run.lowerBound.advanced(by: left) }
      left -= run.count
    }
    return nil
  }

  /// Returns a random number below `count`.
  private mutating func drawn(below count: Int) -> Int {
    min(count - 1, Int(trouble.jitter.next() * Double(count)))
  }

  /// Decides what follows from a comparison that brought no bytes.
  private mutating func ended(_ end: FetchEnd, at now: Duration) -> [Action] {
    switch end {
    case .changed: return becomeStale()
    case .unsatisfiable(let length?) where length != layout?.length: return becomeStale()
    case .gone: return gone(everything, at: now)
    case .mayBeGone: return askSoftly() + compareLater(answered: true, at: now)
    case .blocked: return failAll(at: now)
    case .busy(let delay): return compareLater(answered: true, atLeast: delay, at: now)
    case .unanswered: return compareLater(answered: false, at: now)
    case .complete, .failed, .doubted, .unsatisfiable, .impossible:
      return compareLater(answered: true, at: now)
    }
  }

  /// Starts a backoff, after which the next comparison comes. After too many comparisons that
  /// brought no decision, the waiting reads fail.
  private mutating func compareLater(
    answered: Bool, atLeast delay: Duration? = nil, at now: Duration
  ) -> [Action] {
    let isEnough = trouble.again(
      everything, answered: answered, atLeast: delay, limit: rules.waits.fruitlessAnswers, at: now)
    return isEnough ? failAll(at: now) : []
  }

  /// All bytes of the version.
  private var everything: ByteRange { 0..<(layout?.length ?? 0) }
}
