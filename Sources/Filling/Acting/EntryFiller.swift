package import Blocks
import NIOConcurrencyHelpers

/// Fetches one version into its store. All readers of the version share its fetches.
///
/// Safe from any thread: one lock, which is a leaf, guards all state. `FillState` decides on
/// actions under the lock, and they are performed after its release. Only one thread at a time
/// performs actions, in the order of the decisions. So a cancel never overtakes its fetch.
package final class EntryFiller: Sendable {
  /// An event for the mount, reported on the thread that caused it.
  package enum Event: Sendable {
    /// The origin serves another version now.
    case becameStale
    /// The address may have expired. The mount answers with `renewed(changed:)`.
    case needsAddress
    /// Every block is cached.
    case completed
    /// The buffering state, `bufferState`, has changed.
    case bufferState
    /// A reader has read on for `wholeAfter`.
    case played
    /// Bytes of a broken answer were wrong, and are fetched again. Readers got the ranges `read` of
    /// them.
    case wasWrong(blocks: Range<BlockIndex>, read: [ByteRange])
    /// The first bytes of the film have come, and show where its index lies.
    case foundIndex(IndexPlace)
    /// The origin has not answered a request for the end of the film as it should.
    case refusedTail
    /// A read has failed because its bytes do not come, or no read can get bytes any more.
    case gaveUp
    /// The last fetch has ended, and no reader has the file open.
    case quiet
    /// The length is not known. The file can be read as it grows.
    case grows
    /// A file that can be read as it grows has become longer by some MiB.
    case grew
  }

  /// The state that the lock guards.
  struct State {
    var fill: FillState
    var phase = Phase.known
    var store: (any BlockStore)?
    /// The number of stores before this one.
    var storeCount = 0
    /// The number of calls of `resetStore` so far.
    var clearings = 0
    var representation: Representation?
    var waiters: IdentifierMap<WaitKind, Waiter> = [:]
    /// Waits that their receivers know, but that are not in `waiters` at the moment. The value is
    /// true if the wait was cancelled.
    var reserved: IdentifierMap<WaitKind, Bool> = [:]
    /// Readers of cached bytes that wait for the disk.
    var diskWaits: IdentifierMap<WaitKind, any ByteReceiver> = [:]
    /// Actions that are decided but not performed yet, oldest first.
    var outbox: [FillState.Action] = []
    /// True if a thread is performing an action.
    var isPerforming = false
    /// The time of the earliest call that the timekeeper will make; nil if there is none.
    var armedFor: Duration?
    /// Bytes in the store that `fill` was not told of yet.
    var untold: Untold?
    var wasComplete = false
    var bufferState = BufferState.idle
  }

  let origin: any Origin
  let timekeeper: any Timekeeper
  let makeStore: @Sendable (Representation) -> any BlockStore
  /// Nil: a body without length is not read.
  let growths: GrowthStores?
  let tell: @Sendable (Event) -> Void
  let state: NIOLockedValueBox<State>

  /// - Parameters:
  ///   - known: the version that an earlier answer proved. If nil, the first answer proves it.
  ///   - duration: the playing time of the file, if known.
  ///   - makeStore: makes the store. It is called once, and again for each `resetStore`. It may
  ///     block on the disk.
  ///   - growths: makes the stores of bodies without length.
  ///   - tell: takes events for the mount. It is called on any thread, with no lock held.
  package init(
    known: Representation?, duration: Duration? = nil, origin: any Origin,
    timekeeper: any Timekeeper, rules: FillRules, mode: NetworkMode = .online, seed: UInt64,
    makeStore: @escaping @Sendable (Representation) -> any BlockStore,
    growths: GrowthStores? = nil,
    tell: @escaping @Sendable (Event) -> Void
  ) {
    self.origin = origin
    self.timekeeper = timekeeper
    self.makeStore = makeStore
    self.growths = growths
    self.tell = tell
    let store = known.map(makeStore)
    var state = State(
      fill: FillState(
        layout: known.map { BlockLayout(length: $0.length) },
        cachedBlocks: store?.cachedBlocks ?? BlockSet(),
        suspects: store?.suspects ?? [], rules: rules, mode: mode, seed: seed))
    state.fill.duration = duration
    state.store = store
    state.representation = known
    state.wasComplete = state.fill.isComplete
    if known == nil, let validator = growths?.found() {
      state.grow(validator, in: growths?.open(validator), mode: mode, seed: seed)
    }
    self.state = NIOLockedValueBox(state)
  }

  // MARK: Readers

  /// Adds a reader; `closed` must follow. If it is a scanner, only the head is fetched for it.
  package func opened(isScanner: Bool, isLooker: Bool = false) -> FillState.HandleID {
    learnDurationFromStore()
    return state.withLockedValue { $0.opened(isScanner: isScanner, isLooker: isLooker) }
  }

  /// Reads the playing time in a cached head, if it is not known yet.
  private func learnDurationFromStore() {
    let (store, head) = state.withLockedValue { state in
      let head = 0..<min(4096, state.fill.layout?.length ?? 0)
      let isWanted = state.fill.duration == nil && !head.isEmpty && state.fill.holds(head)
      return (isWanted ? state.store : nil, head)
    }
    _ = store?.lendCopy(of: head) { learnDuration(ContainerHead.duration(in: $0)) }
  }

  func learnDuration(_ duration: Duration?) {
    if let duration { state.withLockedValue { $0.fill.found(duration) } }
  }

  /// Adds a reader of a complete file. The kernel answers its reads, and the daemon does not see
  /// them.
  package func openedUnseen() -> FillState.HandleID {
    let now = timekeeper.now
    defer { arm(after: now) }
    return state.withLockedValue { $0.fill.openedUnseen(at: now) }
  }

  package func closed(_ handle: FillState.HandleID) {
    change { $0.closed(handle, at: $1) }
  }

  /// Gives `receiver` the bytes of `range`, cut at the end of the version. It gives them at once if
  /// they are cached, otherwise when they have come.
  ///
  /// A cached read starts no task and allocates nothing here.
  package func read(
    _ range: ByteRange, by handle: FillState.HandleID, into receiver: some ByteReceiver
  ) {
    let now = timekeeper.now
    let (store, isQuiet, hasChangedState) = state.withLockedValue {
      state -> ((any BlockStore)?, Bool, Bool) in
      guard state.fill.holds(range) else { return (nil, true, false) }
      state.outbox += state.fill.noted(range, by: handle, at: now)
      return (state.store, state.outbox.isEmpty, state.hasChangedState())
    }
    if !isQuiet { perform() }
    if hasChangedState { tell(.bufferState) }
    guard let store else { return wait(for: .bytes(range, handle, receiver), receiver) }
    switch lend(range, of: store, to: receiver) {
    case .answered: return
    case .lost: wait(for: .bytes(range, handle, receiver), receiver)
    case .onDisk: wait(for: .bytes(range, handle, receiver), receiver, on: store)
    }
  }

  /// Tells `receiver` the version as soon as it is proved.
  package func prove(_ receiver: any ProofReceiver) {
    if let representation { return receiver.proved(representation) }
    wait(for: .proof(receiver), receiver)
  }

  // MARK: The mount

  /// Notes that the feed was asked for a new address of this entry.
  package func renewed(changed: Bool) {
    var isSure = false
    change { state, now in
      isSure = state.access.renewal.isAwaited
      return state.renewed(changed: changed, at: now)
    }
    if !changed, isSure { tell(.gaveUp) }
  }

  /// Sets the `parts` to preload in the background, and cancels preloads of other parts.
  package func preload(_ parts: [Part]) {
    change { $0.preloads(parts, at: $1) }
  }

  /// Changes the network mode, and whether the read-ahead is short.
  package func turn(_ mode: NetworkMode, isSparing: Bool = false) {
    change { state, now in
      state.fill.ahead.isSparing = isSparing
      return state.turned(mode, at: now)
    }
  }

  /// Notes that a check has shown another version at the origin.
  package func becomeStale() {
    change { state, _ in state.becomeStale() }
  }

  /// Ends every wait and every fetch, for good.
  package func end() {
    change { state, _ in state.ended() }
    endDiskWaits()
  }

  // MARK: Shared with the sink

  /// Applies `event`, with the time, to the state under the lock. Then performs the actions that it
  /// returned.
  func change(_ event: (inout State, Duration) -> [FillState.Action]) {
    let now = timekeeper.now
    let (hasChangedState, isQuiet, wake) = state.withLockedValue { state in
      let actions = event(&state, now)
      if !actions.isEmpty { state.outbox += actions }
      let isQuiet = state.outbox.isEmpty
      return (state.hasChangedState(), isQuiet, isQuiet ? state.arm(after: now) : nil)
    }
    if isQuiet {
      call(at: wake)
    } else {
      perform()
      arm(after: now)
    }
    if hasChangedState { tell(.bufferState) }
  }

  /// Tells the mount, once, that the last block has come. It is told after the store has tried to
  /// write the block, so that it knows whether the bytes will stay.
  func noteCompletion() {
    let store = state.withLockedValue { state -> (any BlockStore)? in
      guard !state.wasComplete, state.fill.isComplete else { return nil }
      state.wasComplete = true
      return state.store
    }
    guard let store else { return }
    store.whenWritten { [self] in tell(.completed) }
  }

  // MARK: Waiting

  /// Registers a wait. Its receiver knows the wait before any other thread can answer it. A cancel
  /// that comes in between is not lost.
  ///
  /// - Parameter store: the store that has the bytes on its disk. If nil, the origin must be asked.
  private func wait(
    for need: Waiter.Need, _ receiver: any Receiver, on store: (any BlockStore)? = nil
  ) {
    let start = timekeeper.now
    let wait = state.withLockedValue { state in
      let wait = state.fill.newWait()
      state.reserved[wait] = false
      return wait
    }
    guard receiver.willWait(cancel: { [weak self] in self?.cancel(wait) }) else {
      state.withLockedValue { $0.reserved[wait] = nil }
      return receiver.fail(.crowded)
    }
    let waiter = Waiter(need: need, start: start)
    guard let store else { return publish(waiter, as: wait) }
    readFromDisk(waiter, of: store, as: wait)
  }

  /// Puts `wait` into `waiters`. From then on any thread may answer it.
  func publish(_ waiter: Waiter, as wait: FillState.WaitID) {
    change { state, now in
      state.waiters[wait] = waiter
      let isCancelled = state.reserved.removeValue(forKey: wait) ?? false
      if isCancelled { return [.fail(wait, .interrupted)] }
      // The number of tries is limited, because a store may lose all bytes each time.
      if waiter.losses >= state.fill.rules.waits.fruitlessAnswers {
        return [.fail(wait, .unreachable)]
      }
      return state.wants(waiter, as: wait, at: now)
    }
  }

  private func cancel(_ wait: FillState.WaitID) {
    // Several calls may try to end a wait for the disk. The one that removes it answers it.
    if let receiver = endDiskWait(wait) { return receiver.fail(.diskHangs) }
    change { state, _ in
      guard state.reserved[wait] == nil else {
        state.reserved[wait] = true
        return []
      }
      return state.abandoned(wait)
    }
  }
}
