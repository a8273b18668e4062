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

  package func received(_ bytes: RawSpan, at offset: Int, in fetch: FetchID) {
    let all = offset..<offset + bytes.byteCount
    compare(bytes, all, in: fetch)
    let (accepted, store, count) = state.withLockedValue {
      ($0.fill.accepts(all, in: fetch), $0.store, $0.storeCount)
    }
    guard let accepted, let store else { return }
    let outcome = write(bytes, accepted.lowerBound - offset, to: store, at: accepted.lowerBound)
    change { state, now in
      // If the store was replaced meanwhile, the bytes went into the old one.
      guard state.storeCount == count else {
        return state.fill.missed(accepted, in: fetch, at: now)
      }
      return state.fill.arrived(accepted, in: fetch, displacing: outcome.displaced, at: now)
    }
    if offset == 0, let index = ContainerIndex.offset(inHead: bytes) {
      change { $0.fill.found(indexAt: index, at: $1) }
    }
    noteCompletion()
  }

  package func ended(_ fetch: FetchID, _ end: FetchEnd) {
    // RFC 9110 §15.5.17: a resource without bytes satisfies no range, so this proves a length of 0.
    if end == .unsatisfiable(length: 0), representation == nil, accepts(fetch) {
      keep(Representation(length: 0, validator: .none))
    }
    // This tells the mount even if no read waits. Otherwise only a failed read would report it.
    if end == .blocked, accepts(fetch) { tell(.gaveUp) }
    change { $0.fill.ended(fetch, end, at: $1) }
    noteCompletion()
    if state.withLockedValue({ !$0.fill.isFetching && !$0.fill.isOpen }) { tell(.quiet) }
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
    state.withLockedValue { $0.fill.accepts(fetch) }
  }
}
