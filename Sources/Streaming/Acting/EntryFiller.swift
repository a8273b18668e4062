package import Blocks
import NIOConcurrencyHelpers

/// Fetches one version into its store, once, however many readers ask.
///
/// Safe from any thread: one lock, which is a leaf, guards all state. The actions that `FillState`
/// decides on are performed after the lock is released, one at a time and in the order of the
/// decisions, by the first thread that finds no other at it. So a cancel never overtakes its fetch.
package final class EntryFiller: Sendable {
  /// An event for the mount, reported on the thread that caused it.
  package enum Event: Sendable {
    /// The origin serves another version now.
    case becameStale
    /// The address may have expired: answer with `renewed(changed:)`.
    case needsAddress
    /// Every block is cached.
    case completed
    /// The buffering state, `bufferState`, has changed.
    case bufferState
    /// A reader has read on for `wholeAfter`.
    case played
    /// Bytes of a broken answer were wrong, and are fetched again; readers got `read` of them.
    case wasWrong(blocks: Range<BlockIndex>, read: [ByteRange])
    /// A read has failed since its bytes do not come, or no read can get bytes any more.
    case gaveUp
    /// The last fetch has ended, and no reader has the file open.
    case quiet
  }

  struct State {
    var fill: FillState
    var store: (any BlockStore)?
    /// The number of stores before this one.
    var storeCount = 0
    /// How often `resetStore` was called.
    var clearings = 0
    var representation: Representation?
    var waiters: [FillState.WaitID: Waiter] = [:]
    /// Waits that receivers know but that are not under way, yet or again; true if cancelled.
    var reserved: [FillState.WaitID: Bool] = [:]
    /// Readers of cached bytes that wait for the disk.
    var diskWaits: [FillState.WaitID: any ByteReceiver] = [:]
    var outbox: [FillState.Action] = []
    var isPerforming = false
    var armedFor: Duration?
    var wasComplete = false
    var bufferState = BufferState.idle

    /// Updates the buffering state; returns true if it changed.
    mutating func hasChangedState() -> Bool {
      let before = bufferState
      bufferState = fill.bufferState
      return bufferState != before
    }
  }

  let origin: any Origin
  let timekeeper: any Timekeeper
  let makeStore: @Sendable (Representation) -> any BlockStore
  let tell: @Sendable (Event) -> Void
  let state: NIOLockedValueBox<State>

  /// - Parameters:
  ///   - known: the version that an earlier answer proved, if any; without it the first answer
  ///     proves it.
  ///   - duration: how long the file plays, if known.
  ///   - makeStore: called once, and again for each `resetStore`; may block on the disk.
  ///   - tell: called on any thread, with no lock held.
  package init(
    known: Representation?, duration: Duration? = nil, origin: any Origin,
    timekeeper: any Timekeeper, rules: FillRules, mode: NetworkMode = .online, seed: UInt64,
    makeStore: @escaping @Sendable (Representation) -> any BlockStore,
    tell: @escaping @Sendable (Event) -> Void
  ) {
    self.origin = origin
    self.timekeeper = timekeeper
    self.makeStore = makeStore
    self.tell = tell
    let store = known.map(makeStore)
    var state = State(
      fill: FillState(
        layout: known.map { BlockLayout(length: $0.length) }, held: store?.held ?? BlockSet(),
        suspects: store?.suspects ?? [], rules: rules, mode: mode, seed: seed))
    state.fill.duration = duration
    state.store = store
    state.representation = known
    state.wasComplete = state.fill.isComplete
    self.state = NIOLockedValueBox(state)
  }

  // MARK: Readers

  /// Adds a reader; `closed` must follow. For a scanner, only the head is fetched.
  package func opened(isScanner: Bool) -> FillState.HandleID {
    state.withLockedValue { $0.fill.opened(isScanner: isScanner) }
  }

  /// Adds a reader of a complete file whose reads are answered elsewhere.
  package func openedUnseen() -> FillState.HandleID {
    let now = timekeeper.now
    defer { arm() }
    return state.withLockedValue { $0.fill.openedUnseen(at: now) }
  }

  package func closed(_ handle: FillState.HandleID) {
    change { $0.fill.closed(handle) }
  }

  /// Gives `receiver` the bytes of `range`, cut at the end of the version: at once if they are
  /// cached, otherwise when they have come.
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
    let now = timekeeper.now
    change { $0.fill.renewed(changed: changed, at: now) }
    if !changed { tell(.gaveUp) }
  }

  /// Sets the `parts` to preload in the background; preloads of other parts end.
  package func preload(_ parts: [Part]) {
    let now = timekeeper.now
    change { $0.fill.preloads(parts, at: now) }
  }

  /// Changes the network mode to `line`.
  package func turn(_ mode: NetworkMode) {
    let now = timekeeper.now
    change { $0.fill.turned(mode, at: now) }
  }

  /// Notes that a check has shown another version at the origin.
  package func becomeStale() {
    change { $0.fill.becomeStale() }
  }

  /// Ends every wait and every fetch, for good.
  package func end() {
    change { $0.fill.ended() }
    endDiskWaits()
  }

  // MARK: Shared with the sink

  func change(_ event: (inout State) -> [FillState.Action]) {
    let hasChangedState = state.withLockedValue { state in
      state.outbox += event(&state)
      return state.hasChangedState()
    }
    perform()
    arm()
    if hasChangedState { tell(.bufferState) }
  }

  /// Tells the mount, once, that the last block has come.
  func noteCompletion() {
    let isNew = state.withLockedValue { state in
      guard !state.wasComplete, state.fill.isComplete else { return false }
      state.wasComplete = true
      return true
    }
    if isNew { tell(.completed) }
  }

  // MARK: Waiting

  /// Registers a wait. Its receiver knows the wait before any other thread can answer it, and a
  /// cancel in between is not lost.
  ///
  /// - Parameter store: has the bytes on its disk; nil: the origin must be asked.
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

  /// Puts `wait` under way: from here on any thread may answer it.
  func publish(_ waiter: Waiter, as wait: FillState.WaitID) {
    let now = timekeeper.now
    change { state in
      state.waiters[wait] = waiter
      let isCancelled = state.reserved.removeValue(forKey: wait) ?? false
      if isCancelled { return [.fail(wait, .interrupted)] }
      // A store that keeps nothing must not send the reader to the origin without end.
      if waiter.losses >= state.fill.rules.fruitlessAnswers { return [.fail(wait, .unreachable)] }
      return waiter.wants(&state.fill, as: wait, at: now)
    }
  }

  private func cancel(_ wait: FillState.WaitID) {
    // The call that ends the wait answers it.
    if let receiver = endDiskWait(wait) { return receiver.fail(.diskHangs) }
    change { state in
      guard state.reserved[wait] == nil else {
        state.reserved[wait] = true
        return []
      }
      return state.fill.abandoned(wait)
    }
  }

  enum Lending {
    case answered
    /// Some bytes are missing, and must be fetched.
    case lost
    /// The disk must be asked.
    case onDisk
  }

  /// Lends `range` to `receiver`. A receiver that could not read the lent bytes has its answer,
  /// too: the blocks count as lost, and the next read gets them from the origin.
  func lend(
    _ range: ByteRange, of store: any BlockStore, to receiver: some ByteReceiver
  ) -> Lending {
    let length = state.withLockedValue { $0.fill.layout?.length ?? 0 }
    var isAnswered = false
    let outcome = store.lend(range.clamped(to: 0..<length)) { bytes in
      isAnswered = true
      return receiver.receive(bytes)
    }
    switch outcome {
    case .lent: return .answered
    case .onDisk: return .onDisk
    case .lost(let blocks):
      let now = timekeeper.now
      change { $0.fill.lost(blocks, at: now) }
      return isAnswered ? .answered : .lost
    }
  }
}
