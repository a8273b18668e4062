package import Blocks
import Locks

/// Makes the stores for bodies whose length the origin does not tell.
package struct GrowthStores: Sendable {
  /// Returns the validator of a body of unknown length whose bytes an earlier use has cached; nil
  /// if there is no such body.
  let found: @Sendable () -> Validator?
  /// Opens the store of the body with this validator. Can block on the disk.
  let open: @Sendable (Validator) -> any BlockStore
  /// Makes the store of a version whose length the end of its body has proved. This store has the
  /// bytes of the store that `open` returned last. Can block on the disk.
  let prove: @Sendable (Representation) -> any BlockStore

  package init(
    found: @escaping @Sendable () -> Validator?,
    open: @escaping @Sendable (Validator) -> any BlockStore,
    prove: @escaping @Sendable (Representation) -> any BlockStore
  ) {
    self.found = found
    self.open = open
    self.prove = prove
  }
}

/// Serves a file of unknown length, as `GrowthState` decides.
extension EntryFiller {
  package func grows(_ fetch: FetchID, _ body: GrowingBody) {
    if state.withLock({ $0.isGrowing }) {
      return change { state, now in state.growing { $0.began(fetch, body, at: now) } }
    }
    let (isAccepted, isWanted, clearings) = state.withLock {
      ($0.fill.accepts(fetch), $0.fill.wantsGrowth, $0.clearings)
    }
    guard isAccepted else { return }
    guard let growths, isWanted else { return change { $0.fill.declines(fetch, at: $1) } }
    let store = growths.open(body.validator)
    var isCleared = false
    change { state, now in
      state.grow(body.validator, in: store, mode: state.fill.mode, seed: UInt64(fetch.value))
      isCleared = state.clearings != clearings
      // `GrowthState` takes `fetch` over before the waits resume. So they find this fetch, and do
      // not start another one.
      let begun = state.growing { $0.adopt(fetch, body, at: now) }
      return begun + state.fill.grows(fetch)
    }
    tell(.grows)
    if isCleared { resetGrowth() }
  }

  /// Compares or stores `bytes`, which `fetch` brought for a body of unknown length. `range` is
  /// their place in the body.
  func grew(_ bytes: RawSpan, _ range: ByteRange, in fetch: FetchID) {
    guard let before = reached else { return }
    var rest = range
    while let (part, store) = nextPart(of: rest, in: fetch) {
      let start = part.bytes.lowerBound - range.lowerBound
      let piece = bytes.extracting(start..<start + part.bytes.count)
      rest = part.bytes.upperBound..<rest.upperBound
      switch part {
      case .compare(let place):
        let agree = store.agrees(piece, at: place.lowerBound)
        if agree != true {
          change { state, now in state.growing { $0.compared(place, agree, at: now) } }
        }
        // The store has lost the cached bytes, so the new ones are written in their place.
        if agree == nil { rest = place.lowerBound..<range.upperBound }
      case .store(let place):
        let displaced = store.write(piece, at: place.lowerBound).displaced
        change { state, now in
          state.growing { $0.arrived(place, in: fetch, displacing: displaced, at: now) }
        }
      case .skip: break
      }
    }
    change { state, now in state.growing { $0.passed(range.upperBound, in: fetch, at: now) } }
    if let growth, growth.reached / Self.step > before / Self.step { tell(.grew) }
  }

  /// The offset after the last byte that has come; nil if the length is known. Swift 6.3.1 crashes
  /// if it inlines this property.
  @inline(never) private var reached: Int? { state.withLock { $0.reached } }

  /// The number of bytes after which the event `grew` is reported again.
  private static var step: Int { 4 << 20 }

  /// Cancels the fetch of a body of unknown length, because `limit` bytes came without an end. Does
  /// nothing if the file has a reader.
  package func giveUpGrowth(after limit: Int) {
    var isOver = false
    change { state, _ in
      let actions = state.growing { $0.givenUp() }
      isOver = !actions.isEmpty
      return actions
    }
    guard isOver else { return }
    origin.wasTooLong(limit)
    tell(.gaveUp)
  }

  func follow(_ fetch: FetchID, from offset: Int) {
    guard let validator = growth?.validator else { return }
    origin.follow(fetch, of: validator, from: offset, for: self)
  }

  /// Tells the origin and the mount that the body is longer than `maxGrowth`, so feedfs stops
  /// reading it.
  func tellTooLong() {
    origin.wasTooLong(rules.growth.maxGrowth)
    tell(.gaveUp)
  }

  /// Replaces the store of a body of unknown length by a newly opened one, because the cached bytes
  /// were cleared. Does nothing if the length is known.
  func resetGrowth() {
    guard let growths, let validator = growth?.validator else { return }
    let store = growths.open(validator)
    change { state, now in
      guard state.isGrowing else { return [] }
      state.store = store
      state.storeCount += 1
      return state.growing { $0.storeWasReset(cachedBlocks: store.cachedBlocks, at: now) }
    }
  }

  private var rules: FillRules { state.withLock { $0.fill.rules } }

  /// Returns what to do with the first of `bytes`, and the store that must do it. Returns nil if
  /// the bytes are not wanted.
  private func nextPart(
    of bytes: ByteRange, in fetch: FetchID
  ) -> (GrowthState.Part, any BlockStore)? {
    state.withLock { state in
      guard let part = state.growth?.next(of: bytes, in: fetch), let store = state.store else {
        return nil
      }
      return (part, store)
    }
  }

  /// Makes a body of unknown length a version of known length, because the body has ended after
  /// `length` bytes.
  func prove(_ length: Int) {
    guard let growths, let validator = growth?.validator else { return }
    let clearings = state.withLock { $0.clearings }
    let proved = Representation(length: length, validator: validator)
    let store = growths.prove(proved)
    origin.proved(proved)
    var isCleared = false
    change { state, now in
      guard let growth = state.growth else { return [] }
      state.phase = .known
      state.store = store
      state.storeCount += 1
      state.representation = proved
      isCleared = state.clearings != clearings
      return state.fill.hasGrown(
        BlockLayout(length: length), cachedBlocks: store.cachedBlocks, lastFetch: growth.lastFetch,
        at: now)
        + growth.waits.map { .resume($0) }
    }
    if isCleared { resetStore() }
    noteCompletion()
  }
}

extension GrowthState.Part {
  var bytes: ByteRange {
    switch self {
    case .compare(let bytes), .store(let bytes), .skip(let bytes): bytes
    }
  }
}

extension EntryFiller.State {
  /// Begins the phase `growing`. The bytes that `store` has count as cached.
  mutating func grow(
    _ validator: Validator, in store: (any BlockStore)?, mode: NetworkMode, seed: UInt64
  ) {
    var growth = GrowthState(
      validator, cachedBlocks: store?.cachedBlocks ?? BlockSet(), rules: fill.rules, mode: mode,
      lastFetch: fill.lastFetch, seed: seed)
    growth.isPinned = fill.preloading.isWhole
    phase = .growing(growth)
    self.store = store
    fill.growthBegan()
  }
}
