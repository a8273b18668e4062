package import Blocks
import Locks

/// Makes and replaces the store, and fetches again the bytes that the store has lost.
extension EntryFiller {
  /// Makes the store for the version that the first answer proved.
  func keep(_ proved: Representation) {
    let clearings = state.withLock { $0.clearings }
    let store = makeStore(proved)
    var isCleared = false
    change { state, now in
      state.store = store
      state.representation = proved
      isCleared = state.clearings != clearings
      return state.fill.proved(
        BlockLayout(length: proved.length), cachedBlocks: store.cachedBlocks,
        suspects: store.suspects, at: now)
    }
    // If the cache was cleared while the store was made, `resetStore` found no store to replace. So
    // the new store is replaced now.
    if isCleared { resetStore() }
    origin.settleTail(as: proved)
  }

  /// Replaces the store by a new one from `makeStore`, because the cached bytes were cleared, or
  /// are in another place now. Bytes that the new store lacks are fetched again when they are
  /// needed.
  ///
  /// Reads that use bytes of the old store go on, because nothing in that store changes. This call
  /// can block on the disk.
  package func resetStore() {
    let known = state.withLock { state in
      state.clearings += 1
      return state.representation
    }
    guard let known else { return resetGrowth() }
    let store = makeStore(known)
    change { state, now in
      state.store = store
      state.storeCount += 1
      let actions = state.fill.storeWasReset(
        cachedBlocks: store.cachedBlocks, suspects: store.suspects, at: now)
      state.wasComplete = state.fill.isComplete
      return actions
    }
  }

  /// Notes that the store lacks `blocks`, or has found their bytes to be wrong.
  package func lost(_ blocks: [BlockIndex]) {
    change { state, now in
      let actions = state.lost(blocks, at: now)
      state.wasComplete = state.fill.isComplete
      return actions
    }
  }
}
