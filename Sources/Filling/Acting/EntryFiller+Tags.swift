import Blocks
import Locks

/// Compares cached bytes with the origin's bytes when an answer has another entity tag.
extension EntryFiller {
  /// Notes that the answer to a freshness check has the length of this version, but another entity
  /// tag.
  package func doubted() {
    change { $0.doubted(at: $1) }
  }

  /// Asks the origin for the ranges `places`, and compares its bytes with the cached ones.
  func compare(_ comparison: FetchID, _ places: [ByteRange]) {
    origin.sample(comparison, of: places) { [weak self] in self?.came($0, for: comparison) }
  }

  /// Takes the origin's answer to `comparison`, and reports the outcome to `fill`.
  private func came(_ sample: Sample, for comparison: FetchID) {
    let outcome: Comparison =
      switch sample {
      case .known: .undecided
      case .ended(let end): .ended(end)
      case .pieces(let pieces): compared(pieces)
      }
    if outcome == .ended(.blocked) { tell(.gaveUp) }
    change { $0.fill.compared(comparison, outcome, at: $1) }
    if !isFetching, state.withLock({ !$0.fill.isOpen }) { tell(.quiet) }
  }

  /// Compares `pieces` with the cached bytes.
  private func compared(_ pieces: [Sample.Piece]) -> Comparison {
    guard
      let (store, layout) = state.withLock({ state in
        state.store.flatMap { store in state.fill.layout.map { (store, $0) } }
      })
    else { return .ended(.failed) }
    var lost: [BlockIndex] = []
    for piece in pieces {
      switch unsafe store.agrees(piece.bytes.span.bytes, at: piece.offset) {
      case true?: break
      case false?: return .different
      case nil:
        let range = piece.offset..<piece.offset + piece.bytes.count
        lost += Array(layout.blocks(touching: range))
      }
    }
    return lost.isEmpty ? .same : .lost(lost)
  }
}
