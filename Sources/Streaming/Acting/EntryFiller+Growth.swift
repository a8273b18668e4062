package import Blocks
import NIOConcurrencyHelpers

/// Makes the stores of bodies without length.
package struct GrowthStores: Sendable {
  /// Returns the validator of a body of which an earlier use has left bytes; nil if there is none.
  let found: @Sendable () -> Validator?
  /// Opens the store of a body. It may block on the disk.
  let open: @Sendable (Validator) -> any BlockStore
  /// Makes the store of a body that has come to its end, with the bytes of the store that `open`
  /// returned last. It may block on the disk.
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

/// Serves a file whose origin does not tell its length, as `GrowthState` decides.
extension EntryFiller {
  package func grows(_ fetch: FetchID, _ body: GrowingBody) {
    if growth != nil { return change { $0.growth?.began(fetch, body, at: $1) ?? [] } }
    let (isAccepted, isWanted, clearings) = state.withLockedValue {
      ($0.fill.accepts(fetch), $0.fill.wantsGrowth, $0.clearings)
    }
    guard isAccepted else { return }
    guard let growths, isWanted else { return change { $0.fill.declines(fetch, at: $1) } }
    let store = growths.open(body.validator)
    var isCleared = false
    change { state, now in
      state.grow(body.validator, in: store, mode: state.fill.mode, seed: UInt64(fetch.value))
      isCleared = state.clearings != clearings
      // The fetch comes first, so that the waits find it.
      let begun = state.growth?.adopt(fetch, body, at: now) ?? []
      return begun + state.fill.grows(fetch)
    }
    tell(.grows)
    if isCleared { resetGrowth() }
  }

  /// Takes `bytes`, which lie at `range`, if they belong to a body without length. Returns whether
  /// they do.
  func grew(_ bytes: RawSpan, _ range: ByteRange, in fetch: FetchID) -> Bool {
    guard let before = state.withLockedValue({ $0.growth?.reached }) else { return false }
    var rest = range
    while let (part, store) = nextPart(of: rest, in: fetch) {
      let start = part.bytes.lowerBound - range.lowerBound
      let piece = bytes.extracting(start..<start + part.bytes.count)
      rest = part.bytes.upperBound..<rest.upperBound
      switch part {
      case .compare(let place):
        let agree = store.agrees(piece, at: place.lowerBound)
        if agree != true { change { $0.growth?.compared(place, agree, at: $1) ?? [] } }
        // Bytes that were lost can be stored anew.
        if agree == nil { rest = place.lowerBound..<range.upperBound }
      case .store(let place):
        let displaced = store.write(piece, at: place.lowerBound).displaced
        change { $0.growth?.arrived(place, in: fetch, displacing: displaced, at: $1) ?? [] }
      case .skip: break
      }
    }
    change { $0.growth?.passed(range.upperBound, in: fetch, at: $1) ?? [] }
    if let growth, growth.reached / Self.step > before / Self.step { tell(.grew) }
    return true
  }

  /// The bytes from one `.grew` to the next.
  private static var step: Int { 4 << 20 }

  /// Fetches no more of a body that nobody reads, because `limit` bytes came without an end.
  package func giveUpGrowth(after limit: Int) {
    var isOver = false
    change { state, _ in
      let actions = state.growth?.givenUp() ?? []
      isOver = !actions.isEmpty
      return actions
    }
    guard isOver else { return }
    origin.wasTooLong(limit)
    tell(.gaveUp)
  }

  func performGrowth(_ action: FillState.Action) {
    switch action {
    case .follow(let fetch, let offset):
      guard let validator = growth?.validator else { break }
      origin.follow(fetch, of: validator, from: offset, for: self)
    case .prove(let length): prove(length)
    case .tooLong:
      origin.wasTooLong(rules.longestGrowth)
      tell(.gaveUp)
    case .quiet: tell(.quiet)
    case .fetch, .fetchTail, .cancel, .promote, .resume, .fail, .renew, .becameStale, .suspect,
      .forget,
      .played, .compare, .ignoreTags:
      break
    }
  }

  /// Replaces the store of a growing body, because the place of the cached bytes has changed.
  func resetGrowth() {
    guard let growths, let validator = growth?.validator else { return }
    let store = growths.open(validator)
    change { state, now in
      guard state.growth != nil else { return [] }
      state.store = store
      state.storeCount += 1
      return state.growth?.storeWasReset(held: store.held, at: now) ?? []
    }
  }

  private var rules: FillRules { state.withLockedValue { $0.fill.rules } }

  private func nextPart(
    of bytes: ByteRange, in fetch: FetchID
  ) -> (GrowthState.Part, any BlockStore)? {
    state.withLockedValue { state in
      guard let part = state.growth?.next(of: bytes, in: fetch), let store = state.store else {
        return nil
      }
      return (part, store)
    }
  }

  /// Makes the body that has come to its end a version like any other.
  private func prove(_ length: Int) {
    guard let growths, let validator = growth?.validator else { return }
    let clearings = state.withLockedValue { $0.clearings }
    let proved = Representation(length: length, validator: validator)
    let store = growths.prove(proved)
    origin.proved(proved)
    var isCleared = false
    change { state, now in
      guard let growth = state.growth else { return [] }
      state.growth = nil
      state.store = store
      state.storeCount += 1
      state.representation = proved
      isCleared = state.clearings != clearings
      return state.fill.hasGrown(
        BlockLayout(length: length), held: store.held, lastFetch: growth.lastFetch, at: now)
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
  /// Begins to read a body without length.
  mutating func grow(
    _ validator: Validator, in store: (any BlockStore)?, mode: NetworkMode, seed: UInt64
  ) {
    growth = GrowthState(
      validator, held: store?.held ?? BlockSet(), rules: fill.rules, mode: mode,
      lastFetch: fill.lastFetch, seed: seed)
    growth?.isPinned = fill.preload.contains(.whole)
    self.store = store
    fill.growsFromBefore()
  }

  /// The length of the version, or of the longest body that is read if it is not known.
  var length: Int {
    fill.layout?.length ?? growth?.layout.length ?? 0
  }

  mutating func wants(
    _ waiter: Waiter, as wait: FillState.WaitID, at now: Duration
  ) -> [FillState.Action] {
    guard var growth else { return waiter.wants(&fill, as: wait, at: now) }
    defer { self.growth = growth }
    return waiter.wants(&growth, as: wait, at: now)
  }

  func nextWake(after now: Duration) -> Duration? {
    growth.map { $0.nextWake(after: now) } ?? fill.nextWake(after: now)
  }
}
