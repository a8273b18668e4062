package import Blocks
import NIOConcurrencyHelpers

/// The store that keeps the bytes: how it comes, goes, and turns out to lack something.
extension EntryFiller {
  /// The first answer has proved what is there.
  func keep(_ proved: Representation) {
    let clearings = state.withLockedValue { $0.clearings }
    let store = makeStore(proved)
    let now = timekeeper.now
    var isCleared = false
    change { state in
      state.store = store
      state.representation = proved
      isCleared = state.clearings != clearings
      return state.fill.proved(
        BlockLayout(length: proved.length), held: store.held, suspects: store.suspects, at: now)
    }
    // While it was made: nobody could tell then that there is a store.
    if isCleared { beginAnew() }
  }

  /// What was kept is elsewhere now: another store takes its place, and what that lacks is fetched again.
  ///
  /// Whoever is being lent bytes of the one before goes on with them: nothing in it changes. May block on
  /// the disk.
  package func beginAnew() {
    let known = state.withLockedValue { state in
      state.clearings += 1
      return state.representation
    }
    guard let known else { return }
    let store = makeStore(known)
    let now = timekeeper.now
    change { state in
      state.store = store
      state.storeCount += 1
      let actions = state.fill.begunAnew(
        held: store.held, suspects: store.suspects, at: now)
      state.wasComplete = state.fill.isComplete
      return actions
    }
  }

  /// Some of what was kept has turned out to be wrong.
  package func lost(_ blocks: [BlockIndex]) {
    let now = timekeeper.now
    change { state in
      let actions = state.fill.lost(blocks, at: now)
      state.wasComplete = state.fill.isComplete
      return actions
    }
  }
}
