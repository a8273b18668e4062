package import Blocks
import NIOConcurrencyHelpers

/// Writes the origin's answers to the store, then reports them to the waiting reads.
///
/// Runs only on the origin's one thread. So no other write comes between the check that a fetch is
/// still wanted and the write of its bytes.
extension EntryFiller: FetchSink {
  package func began(
    _ fetch: FetchID, _ representation: Representation, bytes: ByteRange, whole: Bool
  ) {
    guard accepts(fetch) else { return }
    // The proved version never changes. An answer with other bytes belongs to another version.
    if let known = self.representation, known != representation { return becomeStale() }
    change { $0.fill.began(fetch, bytes: bytes, whole: whole, at: $1) }
    if self.representation == nil { keep(representation) }
  }

  /// Pieces of one block are told together, because a piece is small and telling costs much.
  package func received(_ bytes: RawSpan, at offset: Int, in fetch: FetchID) {
    let all = offset..<offset + bytes.byteCount
    guard !grew(bytes, all, in: fetch) else { return }
    guard let (accepted, store, count) = accepted(bytes, all, in: fetch) else { return }
    let outcome = write(bytes, accepted.lowerBound - offset, to: store, at: accepted.lowerBound)
    let (mustTell, movie) = state.withLockedValue { state in
      let piece = Untold(
        fetch: fetch, bytes: accepted, displaced: outcome.displaced, storeCount: count)
      state.untold = state.untold?.followed(by: piece) ?? piece
      return (state.untold?.isDue(in: state.fill.layout) ?? false, state.fill.placeOfDuration)
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
    tellArrived()
  }

  package func ended(_ fetch: FetchID, _ end: FetchEnd) {
    tellArrived()
    // RFC 9110 §15.5.17: a resource without bytes satisfies no range, so this proves a length of 0.
    if end == .unsatisfiable(length: 0), representation == nil, accepts(fetch), growth == nil {
      keep(Representation(length: 0, validator: .none))
    }
    // This tells the mount even if no read waits. Otherwise only a failed read would report it.
    if end == .blocked, accepts(fetch) { tell(.gaveUp) }
    judgeTail(fetch, end)
    change { state, now in
      let actions = state.growth?.ended(fetch, end, at: now) ?? []
      return actions + state.fill.ended(fetch, end, at: now)
    }
    noteCompletion()
    if !isFetching, state.withLockedValue({ !$0.fill.isOpen }) { tell(.quiet) }
  }

  /// Returns the part of `bytes` that should be stored, the store, and its number. Returns nil if
  /// the bytes are not wanted. `all` is their range.
  private func accepted(
    _ bytes: RawSpan, _ all: ByteRange, in fetch: FetchID
  ) -> (ByteRange, any BlockStore, Int)? {
    let goesOn = state.withLockedValue { state -> (ByteRange, any BlockStore, Int)? in
      guard let untold = state.untold, untold.fetch == fetch, !untold.bytes.isEmpty,
        untold.bytes.upperBound == all.lowerBound, untold.storeCount == state.storeCount,
        state.fill.accepts(fetch), state.fill.doubt(in: all, of: fetch) == nil,
        let store = state.store
      else { return nil }
      return (all, store, state.storeCount)
    }
    if let goesOn { return goesOn }
    tellArrived()
    compare(bytes, all, in: fetch)
    let (accepted, store, count) = state.withLockedValue {
      ($0.fill.accepts(all, in: fetch), $0.store, $0.storeCount)
    }
    guard let accepted, let store else { return nil }
    return (accepted, store, count)
  }

  /// Tells `fill` of the bytes that are in the store since it was told last.
  private func tellArrived() {
    guard let untold = state.withLockedValue({ $0.untold }) else { return }
    change { state, now in
      state.untold = nil
      // If the store was replaced meanwhile, the bytes went into the old one.
      guard state.storeCount == untold.storeCount else {
        return state.fill.missed(untold.bytes, in: untold.fetch, at: now)
      }
      return state.fill.arrived(
        untold.bytes, in: untold.fetch, displacing: untold.displaced, at: now)
    }
    noteCompletion()
  }

  /// Compares `bytes`, which lie at `range`, with the bytes of a broken answer.
  private func compare(_ bytes: RawSpan, _ range: ByteRange, in fetch: FetchID) {
    while true {
      let (part, store) = state.withLockedValue { ($0.fill.doubt(in: range, of: fetch), $0.store) }
      guard let part, let store else { return }
      let start = part.lowerBound - range.lowerBound
      let agrees = store.agrees(
        bytes.extracting(start..<start + part.count), at: part.lowerBound)
      change { $0.fill.compared(part, agrees, in: fetch, at: $1) }
    }
  }

  private func write(
    _ bytes: RawSpan, _ skipped: Int, to store: any BlockStore, at offset: Int
  ) -> WriteOutcome {
    guard skipped < bytes.byteCount else { return .kept }
    return store.write(bytes.extracting(skipped..<bytes.byteCount), at: offset)
  }

  private func accepts(_ fetch: FetchID) -> Bool {
    state.withLockedValue { $0.growth?.accepts(fetch) ?? $0.fill.accepts(fetch) }
  }
}

extension EntryFiller {
  /// Consecutive bytes of one block, from one fetch, that are in the store.
  struct Untold {
    let fetch: FetchID
    var bytes: ByteRange
    /// The blocks that the store evicted for these bytes.
    var displaced: [BlockIndex]
    /// The number of the store.
    let storeCount: Int

    /// Returns these bytes together with `next`, which begins where these end.
    func followed(by next: Self) -> Self {
      var both = self
      both.bytes = bytes.lowerBound..<next.bytes.upperBound
      both.displaced += next.displaced
      return both
    }

    /// True if the bytes reach the end of their block, or cost other blocks, or are none.
    func isDue(in layout: BlockLayout?) -> Bool {
      guard let layout, displaced.isEmpty, !bytes.isEmpty, bytes.upperBound < layout.length
      else { return true }
      return layout.block(at: bytes.lowerBound) != layout.block(at: bytes.upperBound)
    }
  }
}
