package import Blocks
import NIOConcurrencyHelpers

/// The store that keeps the bytes: how it comes, goes, and turns out to lack something.
extension EntryFiller {
  /// The first answer has proved what is there.
  func keep(_ proved: Representation) {
    let store = makeStore(proved)
    let now = timekeeper.now
    change { state in
      state.store = store
      state.representation = proved
      return state.fill.proved(
        BlockLayout(length: proved.length), held: store.held, at: now)
    }
  }

  /// What was kept is elsewhere now: another store takes its place, and what that lacks is fetched again.
  ///
  /// Whoever is being lent bytes of the one before goes on with them: nothing in it changes. May block on
  /// the disk.
  package func beginAnew() {
    guard let representation else { return }
    let store = makeStore(representation)
    let now = timekeeper.now
    change { state in
      state.store = store
      state.storeCount += 1
      let actions = state.fill.begunAnew(held: store.held, at: now)
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
