package import Blocks
import NIOConcurrencyHelpers

/// What the origin answers goes to the store first, and is then told to those who wait.
///
/// All on the origin's one thread, so between the question whether a fetch is still wanted and the
/// write no other write can come.
extension EntryFiller: FetchSink {
  package func began(
    _ fetch: FetchID, _ representation: Representation, bytes: ByteRange, whole: Bool
  ) {
    guard accepts(fetch) else { return }
    // What was proved stays: an answer of other bytes is another version's.
    if let known = self.representation, known != representation { return supersede() }
    let now = timekeeper.now
    change { $0.fill.began(fetch, bytes: bytes, whole: whole, at: now) }
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
    let now = timekeeper.now
    change { state in
      // They have gone into a store that another has taken the place of meanwhile.
      guard state.storeCount == count else {
        return state.fill.missed(accepted, in: fetch, at: now)
      }
      return state.fill.arrived(accepted, in: fetch, displacing: outcome.displaced, at: now)
    }
    if offset == 0, let index = ContainerIndex.offset(inHead: bytes) {
      change { $0.fill.found(indexAt: index, at: now) }
    }
    noteCompletion()
  }

  package func ended(_ fetch: FetchID, _ end: FetchEnd) {
    // RFC 9110 §15.5.17: nothing lies in the range of a resource without bytes, which proves it.
    if end == .unsatisfiable(length: 0), representation == nil, accepts(fetch) {
      keep(Representation(length: 0, validator: .none))
    }
    let now = timekeeper.now
    // Nobody may wait, and then no read ends because of it.
    if end == .blocked, accepts(fetch) { tell(.gaveUp) }
    change { $0.fill.ended(fetch, end, at: now) }
    noteCompletion()
    if state.withLockedValue({ !$0.fill.isFetching && !$0.fill.isOpen }) { tell(.quiet) }
  }

  /// Compares what a broken answer had brought of `range` with `bytes`.
  private func compare(_ bytes: RawSpan, _ range: ByteRange, in fetch: FetchID) {
    while true {
      let (part, store) = state.withLockedValue { ($0.fill.doubt(in: range, of: fetch), $0.store) }
      guard let part, let store else { return }
      let start = part.lowerBound - range.lowerBound
      let agrees = store.agrees(
        bytes.extracting(start..<start + part.count), at: part.lowerBound)
      let now = timekeeper.now
      change { $0.fill.compared(part, agrees, in: fetch, at: now) }
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
