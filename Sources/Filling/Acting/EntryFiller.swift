package import Blocks
import Locks

/// Fetches the bytes of one version into its store. All readers of the version share its fetches.
///
/// Safe from any thread. One lock guards all state, and no other lock is taken under it.
/// `FillState` decides on actions under the lock. After its release, they are performed by one
/// thread at a time, in the order of the decisions. So a fetch is never cancelled before it has
/// started.
package final class EntryFiller: Sendable {
  /// An event for the mount, reported on the thread that caused it.
  package enum Event: Sendable {
    /// The origin serves another version now.
    case becameStale
    /// The address may have expired. The mount asks the feed for a new one, and calls
    /// `renewed(changed:)`.
    case needsAddress
    /// Every block is cached, and the store has tried to write all of them to the disk. Reported
    /// again when a complete file no longer has suspect bytes.
    case completed
    /// The buffering state, `bufferState`, has changed.
    case bufferState
    /// A reader has read on past its first fetch, and its first read was at least `wholeAfter` ago.
    case played
    /// The bytes of `blocks` came in an answer that broke off, and were wrong. They are fetched
    /// again. Readers already got the ranges `read` of them.
    case wasWrong(blocks: Range<BlockIndex>, read: [ByteRange])
    /// The first bytes of the file have come, and show where the container's index is.
    case foundIndex(IndexPlace)
    /// The origin does not serve requests for the last bytes of a file as it should.
    case refusedTail
    /// A read has failed because its bytes did not come, or no more bytes can be fetched at all.
    case gaveUp
    /// The last fetch has ended, and no reader has the file open.
    case quiet
    /// The length is not known. The file can be read as it grows.
    case grows
    /// Another 4 MiB have come of a file that can be read as it grows.
    case grew
  }

  /// The state that the lock guards.
  struct State {
    var fill: FillState
    var phase = Phase.known
    var store: (any BlockStore)?
    /// The number of times that `store` was replaced.
    var storeCount = 0
    /// The number of calls of `resetStore` so far.
    var clearings = 0
    var representation: Representation?
    var waiters: IdentifierMap<WaitKind, Waiter> = [:]
    /// Waits that were announced to their receivers (`willWait`), but that are not in `waiters`
    /// now. The value is true if the receiver has cancelled the wait.
    var reserved: IdentifierMap<WaitKind, Bool> = [:]
    /// The receivers that wait for cached bytes from the disk.
    var diskWaits: IdentifierMap<WaitKind, any ByteReceiver> = [:]
    /// The actions that are decided but not performed yet, oldest first.
    var outbox: [FillState.Action] = []
    var isPerforming = false
    /// The time of the earliest call that the timekeeper will make; nil if there is none.
    var armedFor: Duration?
    /// Bytes that were written to the store, but not reported to `fill` yet; nil if there are none.
    var untold: Untold?
    /// True if the mount was told, or is about to be, that every block is cached.
    var wasComplete = false
    var bufferState = BufferState.idle
  }

  let origin: any Origin
  let timekeeper: any Timekeeper
  let makeStore: @Sendable (Representation) -> any BlockStore
  let growths: GrowthStores?
  let tell: @Sendable (Event) -> Void
  let state: Locked<State>

  /// - Parameters:
  ///   - known: the version that an earlier answer proved. If nil, the first answer proves it.
  ///   - duration: the playing time of the file, as the feed tells it; nil if it is not known.
  ///   - makeStore: makes the store of a version. It is called when the version is known, and again
  ///     for each `resetStore`. It can block on the disk.
  ///   - growths: makes the stores of bodies of unknown length. If nil, such bodies are not read.
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
    self.state = Locked(state)
  }

  // MARK: Readers

  /// Adds a reader, and returns its handle, for which `closed` must be called later. A scanner
  /// reads only the type of files, so only the head is fetched for it. A looker inspects media
  /// files without playing them, so its read-ahead begins late.
  package func opened(isScanner: Bool, isLooker: Bool = false) -> FillState.HandleID {
    learnDurationFromStore()
    return state.withLock { $0.opened(isScanner: isScanner, isLooker: isLooker) }
  }

  /// Reads the playing time from the cached head of the file, if it is not known yet.
  private func learnDurationFromStore() {
    let (store, head) = state.withLock { state in
      let head = 0..<min(4096, state.fill.layout?.length ?? 0)
      let isWanted = state.fill.duration == nil && !head.isEmpty && state.fill.holds(head)
      return (isWanted ? state.store : nil, head)
    }
    _ = store?.lendCopy(of: head) { learnDuration(ContainerHead.duration(in: $0)) }
  }

  func learnDuration(_ duration: Duration?) {
    if let duration { state.withLock { $0.fill.found(duration) } }
  }

  /// Adds a reader of a complete file whose reads the kernel answers without the daemon. `closed`
  /// must be called for the returned handle later.
  package func openedUnseen() -> FillState.HandleID {
    let now = timekeeper.now
    defer { arm(after: now) }
    return state.withLock { $0.fill.openedUnseen(at: now) }
  }

  package func closed(_ handle: FillState.HandleID) {
    change { $0.closed(handle, at: $1) }
  }

  /// Gives `receiver` the bytes of `range`, cut at the end of the version: at once if they are
  /// cached, otherwise when they have come.
  ///
  /// A read of cached bytes starts no task, and allocates nothing here.
  package func read(
    _ range: ByteRange, by handle: FillState.HandleID, into receiver: some ByteReceiver
  ) {
    let now = timekeeper.now
    let (store, isQuiet, hasChangedState) = state.withLock {
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

  /// Tells `receiver` the version as soon as it is proved, or that the file can be read as it
  /// grows.
  package func prove(_ receiver: any ProofReceiver) {
    if let representation { return receiver.proved(representation) }
    wait(for: .proof(receiver), receiver)
  }

  // MARK: The mount

  /// Notes that the feed was asked for a new address of this entry. `changed` is true if the feed
  /// had one.
  package func renewed(changed: Bool) {
    var isSure = false
    change { state, now in
      isSure = state.access.renewal.isAwaited
      return state.renewed(changed: changed, at: now)
    }
    if !changed, isSure { tell(.gaveUp) }
  }

  /// Sets the parts to preload, and cancels the preloads of other parts.
  package func preload(_ parts: [Part]) {
    change { $0.preloads(parts, at: $1) }
  }

  /// Changes the network mode. If `isSparing` is true, the read-ahead is short, because the line is
  /// metered or limited.
  package func turn(_ mode: NetworkMode, isSparing: Bool = false) {
    change { state, now in
      state.fill.ahead.isSparing = isSparing
      return state.turned(mode, at: now)
    }
  }

  /// Notes that the origin serves another version, as a freshness check or an answer has shown.
  package func becomeStale() {
    change { state, _ in state.becomeStale() }
  }

  /// Ends all waits and fetches for good.
  package func end() {
    change { state, _ in state.ended() }
    endDiskWaits()
  }

  // MARK: Shared with the sink

  /// Calls `event` with the state and the time, under the lock. Then performs the actions that
  /// `event` returned.
  func change(_ event: (inout State, Duration) -> [FillState.Action]) {
    let now = timekeeper.now
    let (hasChangedState, isQuiet, wake) = state.withLock { state in
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

  /// Tells the mount once that the file is complete, after the store has tried to write the last
  /// block to the disk. So the mount knows then whether the bytes will stay.
  func noteCompletion() {
    let store = state.withLock { state -> (any BlockStore)? in
      guard !state.wasComplete, state.fill.isComplete else { return nil }
      state.wasComplete = true
      return state.store
    }
    guard let store else { return }
    store.whenWritten { [self] in tell(.completed) }
  }

  // MARK: Waiting

  /// Registers a wait for `need`. Announces it to `receiver` before any other thread can answer it.
  /// If `receiver` cancels the wait in between, `reserved` remembers that.
  ///
  /// - Parameter store: the store that has the bytes on its disk; nil if the origin must be asked.
  private func wait(
    for need: Waiter.Need, _ receiver: any Receiver, on store: (any BlockStore)? = nil
  ) {
    let start = timekeeper.now
    let wait = state.withLock { state in
      let wait = state.fill.newWait()
      state.reserved[wait] = false
      return wait
    }
    guard receiver.willWait(cancel: { [weak self] in self?.cancel(wait) }) else {
      state.withLock { $0.reserved[wait] = nil }
      return receiver.fail(.crowded)
    }
    let waiter = Waiter(need: need, start: start)
    guard let store else { return publish(waiter, as: wait) }
    readFromDisk(waiter, of: store, as: wait)
  }

  /// Puts `waiter` into `waiters` as `wait`. From then on, any thread can answer it.
  func publish(_ waiter: Waiter, as wait: FillState.WaitID) {
    change { state, now in
      state.waiters[wait] = waiter
      let isCancelled = state.reserved.removeValue(forKey: wait) ?? false
      if isCancelled { return [.fail(wait, .interrupted)] }
      // A store can lose the bytes each time that they come. So the read fails after some losses,
      // and does not wait forever.
      if waiter.losses >= state.fill.rules.waits.fruitlessAnswers {
        return [.fail(wait, .unreachable)]
      }
      return state.wants(waiter, as: wait, at: now)
    }
  }

  private func cancel(_ wait: FillState.WaitID) {
    // Several threads can try to end a wait for the disk. The thread that removes it answers it.
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
