package import Blocks
import Locks

/// Writes the bytes of the origin's answers to the store, then resumes the reads that wait for
/// them.
///
/// The origin calls `received` on one thread only. So no other bytes are written between the check
/// that a fetch is still wanted and the write of its bytes. The origin can call `ended` on another
/// thread, even while bytes of other fetches are written.
extension EntryFiller: FetchSink {
  package func began(
    _ fetch: FetchID, _ representation: Representation, bytes: ByteRange, whole: Bool
  ) {
    guard accepts(fetch) else { return }
    // `representation` never changes after an answer has proved it. So an answer with another one
    // shows that the origin now serves another version.
    if let known = self.representation, known != representation { return becomeStale() }
    change { $0.fill.began(fetch, bytes: bytes, whole: whole, at: $1) }
    if self.representation == nil { keep(representation) }
  }

  /// Writes `bytes` to the store. Reports the bytes of one block to `fill` together, because they
  /// come in small pieces, and each report is expensive.
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
    // RFC 9110 §15.5.17: no range of a resource without bytes can be satisfied. So this answer
    // proves a length of 0.
    if end == .unsatisfiable(length: 0), representation == nil, accepts(fetch),
      !state.withLock({ $0.isGrowing })
    {
      keep(Representation(length: 0, validator: .none))
    }
    // The mount is told now, even if no read waits. Otherwise the mount would learn only from the
    // next failing read that no address can be used.
    if end == .blocked, accepts(fetch) { tell(.gaveUp) }
    judgeTail(fetch, end)
    change { $0.ended(fetch, end, at: $1) }
    noteCompletion()
    if !isFetching, state.withLock({ !$0.fill.isOpen }) { tell(.quiet) }
  }

  /// Reports to `fill` the bytes that were written to the store since the last report.
  ///
  /// - Parameter fetch: the fetch whose bytes are reported; nil to report the bytes of any fetch.
  private func tellArrived(of fetch: FetchID? = nil) {
    guard let untold = state.withLock({ $0.untold }), fetch == nil || untold.fetch == fetch
    else { return }
    var isComplete = false
    change { state, now in
      state.untold = nil
      defer { isComplete = !state.wasComplete && state.fill.isComplete }
      // If the store was replaced after the write, the new store lacks these bytes.
      guard state.storeCount == untold.storeCount else {
        return state.fill.missed(untold.bytes, in: untold.fetch, at: now)
      }
      return state.fill.arrived(
        untold.bytes, in: untold.fetch, displacing: untold.displaced, at: now)
    }
    if isComplete { noteCompletion() }
  }

  /// Compares the suspect cached bytes in `range` with `bytes`, which `fetch` brought for `range`.
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

  /// Writes `bytes` to the store, except the first `skipped` bytes. The first byte that is written
  /// has the place `offset` in the version.
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
  /// Consecutive bytes of one fetch that are in the store, or are just being written, but were not
  /// reported to `fill` yet. They are reported at the end of their block at the latest.
  struct Untold {
    let fetch: FetchID
    var bytes: ByteRange
    /// The blocks that the store evicted to make room for these bytes.
    var displaced: [BlockIndex]
    /// The value of `State.storeCount` at the time of the write. If it is another one later, the
    /// store was replaced in between.
    let storeCount: Int

    /// Returns whether the bytes must be reported now: if they reach the end of their block, if the
    /// store evicted blocks for them, or if `bytes` is empty.
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
    /// The length of the file is not known, so `GrowthState` decides about the bytes.
    case grows
    /// The bytes from the offset `from` on must be written to the store. `untold` counts them
    /// already. If `mustTell` is true, the untold bytes must be reported after the write. `movie`
    /// is the offset of the container's index if the playing time can be in it, otherwise nil.
    case goesIn(any BlockStore, from: Int, mustTell: Bool, movie: Int?)
    /// The bytes must not be written now: earlier untold bytes must be reported first, these bytes
    /// must be compared with suspect ones, or `fetch` was cancelled.
    case apart
  }

  /// Decides what to do with `bytes`, and adds the bytes that must be written to `untold`. The
  /// caller writes them before it reports them.
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
