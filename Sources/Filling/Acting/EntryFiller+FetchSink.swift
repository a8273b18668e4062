package import Blocks
import Locks

/// Writes the origin's answers to the store, then reports them to the waiting reads.
///
/// All bytes come on one thread, that of the origin. So nothing else is written between the check
/// that a fetch is still wanted and the write of its bytes. The end of a fetch may come on another
/// thread, while bytes of other fetches are written.
extension EntryFiller: FetchSink {
  package func began(
    _ fetch: FetchID, _ representation: Representation, bytes: ByteRange, whole: Bool
  ) {
    guard accepts(fetch) else { return }
    // The proved version never changes. If the answer is of another one, the origin now serves
    // other bytes.
    if let known = self.representation, known != representation { return becomeStale() }
    change { $0.fill.began(fetch, bytes: bytes, whole: whole, at: $1) }
    if self.representation == nil { keep(representation) }
  }

  /// Bytes of one block are reported to `fill` together, because they come in small pieces, and a
  /// report costs much.
  package func received(_ bytes: RawSpan, at offset: Int, in fetch: FetchID) {
    let all = offset..<offset + bytes.byteCount
    var way = state.withLock { $0.takes(all, in: fetch) }
    if case .apart = way {
      tellArrived()
      compare(bytes, all, in: fetch)
      way = state.withLock { $0.takes(all, in: fetch) }
    }
    guard case .goesIn(let store, let start, var mustTell, let movie) = way else {
      if case .grows = way { grew(bytes, all, in: fetch) }
      return
    }
    if case .displaced(let blocks) = write(bytes, start - offset, to: store, at: start) {
      state.withLock { $0.untold?.displaced += blocks }
      mustTell = true
    }
    if mustTell || offset == 0 { tellArrived() }
    if offset == 0 {
      learnIndex(from: bytes)
      learnDuration(ContainerHead.duration(in: bytes))
    } else if let movie, all.contains(movie) {
      learnDuration(ContainerHead.durationOfMovie(in: bytes, at: movie - offset))
    }
  }

  package func rested(_ fetch: FetchID) {
    tellArrived(of: fetch)
  }

  package func ended(_ fetch: FetchID, _ end: FetchEnd) {
    tellArrived(of: fetch)
    // RFC 9110 §15.5.17: a resource without bytes satisfies no range, so this proves a length of 0.
    if end == .unsatisfiable(length: 0), representation == nil, accepts(fetch),
      !state.withLock({ $0.isGrowing })
    {
      keep(Representation(length: 0, validator: .none))
    }
    // The mount is told even if no read waits. Otherwise it would learn of this only from a read
    // that fails.
    if end == .blocked, accepts(fetch) { tell(.gaveUp) }
    judgeTail(fetch, end)
    change { $0.ended(fetch, end, at: $1) }
    noteCompletion()
    if !isFetching, state.withLock({ !$0.fill.isOpen }) { tell(.quiet) }
  }

  /// Reports to `fill` the bytes that were written to the store since the last report.
  ///
  /// - Parameter fetch: the fetch whose bytes are reported; nil to report those of any fetch.
  private func tellArrived(of fetch: FetchID? = nil) {
    guard let untold = state.withLock({ $0.untold }), fetch == nil || untold.fetch == fetch
    else { return }
    var isComplete = false
    change { state, now in
      state.untold = nil
      defer { isComplete = !state.wasComplete && state.fill.isComplete }
      // If the store was replaced meanwhile, the bytes are only in the old one.
      guard state.storeCount == untold.storeCount else {
        return state.fill.missed(untold.bytes, in: untold.fetch, at: now)
      }
      return state.fill.arrived(
        untold.bytes, in: untold.fetch, displacing: untold.displaced, at: now)
    }
    if isComplete { noteCompletion() }
  }

  /// Compares `bytes`, which lie at `range`, with the bytes of a broken answer.
  private func compare(_ bytes: RawSpan, _ range: ByteRange, in fetch: FetchID) {
    while true {
      let (part, store) = state.withLock { ($0.fill.doubt(in: range, of: fetch), $0.store) }
      guard let part, let store else { return }
      let start = part.lowerBound - range.lowerBound
      let agrees = store.agrees(
        bytes.extracting(start..<start + part.count), at: part.lowerBound)
      change { $0.fill.compared(part, agrees, in: fetch, at: $1) }
    }
  }

  /// Writes `bytes` to the store, without the first `skipped` ones. The others begin at `offset`.
  private func write(
    _ bytes: RawSpan, _ skipped: Int, to store: any BlockStore, at offset: Int
  ) -> WriteOutcome {
    guard skipped < bytes.byteCount else { return .cached }
    return store.write(bytes.extracting(skipped..<bytes.byteCount), at: offset)
  }

  private func accepts(_ fetch: FetchID) -> Bool {
    state.withLock { $0.accepts(fetch) }
  }
}

extension EntryFiller {
  /// Consecutive bytes of one block, from one fetch, that were written to the store or are just
  /// being written.
  struct Untold {
    let fetch: FetchID
    var bytes: ByteRange
    /// The blocks that the store evicted for these bytes.
    var displaced: [BlockIndex]
    /// The `storeCount` at the time of the write, to tell whether the store was replaced meanwhile.
    let storeCount: Int

    /// Returns whether the bytes must be reported now: they reach the end of their block, blocks
    /// were evicted for them, or there are none.
    func isDue(in layout: BlockLayout?) -> Bool {
      guard let layout, displaced.isEmpty, !bytes.isEmpty, bytes.upperBound < layout.length
      else { return true }
      return layout.block(at: bytes.lowerBound) != layout.block(at: bytes.upperBound)
    }
  }
}

extension EntryFiller.State {
  /// The next step for bytes that have come.
  enum Way {
    /// The length is not known, so `GrowthState` decides.
    case grows
    /// The bytes from the offset `from` on must be written to the store. They count as untold
    /// already. If `mustTell` is true, they must be reported after that. `movie` is the offset of
    /// the index, if the playing time may be in it.
    case goesIn(any BlockStore, from: Int, mustTell: Bool, movie: Int?)
    /// Untold bytes must be reported first, or these bytes must be compared, or they are not
    /// wanted.
    case apart
  }

  /// Decides about `bytes`, and counts those that must be written as untold. Only the thread that
  /// brings them reports them, after the write.
  mutating func takes(_ bytes: ByteRange, in fetch: FetchID) -> Way {
    guard !isGrowing else { return .grows }
    guard let store, fill.fetches.has(fetch),
      fill.suspects.isEmpty || fill.doubt(in: bytes, of: fetch) == nil
    else { return .apart }
    var start = bytes.lowerBound
    if let untold {
      guard untold.fetch == fetch, !untold.bytes.isEmpty, untold.bytes.upperBound == start,
        untold.storeCount == storeCount
      else { return .apart }
      self.untold?.bytes = untold.bytes.lowerBound..<bytes.upperBound
    } else {
      guard let accepted = fill.accepts(bytes, in: fetch) else { return .apart }
      start = accepted.lowerBound
      untold = EntryFiller.Untold(
        fetch: fetch, bytes: accepted, displaced: [], storeCount: storeCount)
    }
    return .goesIn(
      store, from: start, mustTell: untold?.isDue(in: fill.layout) ?? false,
      movie: fill.preloading.placeOfDuration)
  }
}
