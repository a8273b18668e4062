package import Blocks
import Locks

/// Makes the stores of bodies without length.
package struct GrowthStores: Sendable {
  /// Returns the validator of a body without length of which an earlier use has cached bytes; nil
  /// if there is none.
  let found: @Sendable () -> Validator?
  /// Opens the store of the body with this validator. It may block on the disk.
  let open: @Sendable (Validator) -> any BlockStore
  /// Makes the store of the version that a body has become at its end. It has the bytes of the
  /// store that `open` returned last. It may block on the disk.
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
      // `GrowthState` takes the fetch over first, so that the resumed waits find it.
      let begun = state.growing { $0.adopt(fetch, body, at: now) }
      return begun + state.fill.grows(fetch)
    }
    tell(.grows)
    if isCleared { resetGrowth() }
  }

  /// Takes the bytes of `range`, which `fetch` brought of a body without length.
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
        // The store has lost these bytes, so they are written again.
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

  /// The number of bytes that have come; nil if the length is known. Swift 6.3.1 crashes if it
  /// inlines this.
  @inline(never) private var reached: Int? { state.withLock { $0.reached } }

  /// The bytes that come from one event `grew` to the next.
  private static var step: Int { 4 << 20 }

  /// Gives up the fetch of a body that has no reader, because `limit` bytes came without an end.
  /// Does nothing if it has one.
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

  /// Tells the origin and the mount that the body has more bytes than feedfs reads.
  func tellTooLong() {
    origin.wasTooLong(rules.growth.maxGrowth)
    tell(.gaveUp)
  }

  /// Replaces the store of a body without length, as `resetStore` does. Does nothing for any other
  /// file.
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

  /// Returns what to do with the first of `bytes`, and the store; nil if they are not wanted.
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

  /// Makes the body, which has ended after `length` bytes, a version like any other.
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
  /// Begins the phase `growing`, with the bytes that `store` has.
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
