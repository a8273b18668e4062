package import Blocks
import NIOConcurrencyHelpers

/// Fills one representation's store from its origin, once, however many readers ask.
///
/// Safe from any thread: all state is behind one lock, which is a leaf. What `FillState` decides is
/// done after the lock is released, one action at a time and in the order of the decisions, by
/// whichever thread finds nobody else at it: so a cancel never overtakes the fetch it is for.
package final class EntryFiller: Sendable {
  /// What the mount is told, on the thread that brought it about.
  package enum Event: Sendable {
    /// The origin serves another version now.
    case superseded
    /// The address may have expired: answer with `renewed(changed:)`.
    case needsAddress
    /// Every block is held.
    case completed
    /// Its readers are better or worse off than before: `mood` tells how.
    case mood
    /// Somebody has read on for as long as the rules say.
    case played
    /// Bytes of a broken answer were wrong, and are fetched again; `read` was given to readers.
    case wasWrong(blocks: Range<BlockIndex>, read: [ByteRange])
    /// Somebody was told that bytes do not come, or nobody can have them.
    case gaveUp
    /// The last fetch has ended, and nobody has it open any more.
    case quiet
  }

  struct State {
    var fill: FillState
    var store: (any BlockStore)?
    /// How many stores there were before this one.
    var storeCount = 0
    /// How often all that was kept has been taken away.
    var clearings = 0
    var representation: Representation?
    var waiters: [FillState.WaitID: Waiter] = [:]
    /// Waits that are known to their receiver but not under way, yet or again, and whether they were
    /// cancelled meanwhile.
    var reserved: [FillState.WaitID: Bool] = [:]
    /// Readers of held bytes that wait for the disk.
    var diskWaits: [FillState.WaitID: any ByteReceiver] = [:]
    var outbox: [FillState.Action] = []
    var isPerforming = false
    var armedFor: Duration?
    var wasComplete = false
    var mood = Mood.idle

    /// Whether the mood is another than it was.
    mutating func isMoodNew() -> Bool {
      let before = mood
      mood = fill.mood
      return mood != before
    }
  }

  let origin: any Origin
  let timekeeper: any Timekeeper
  let makeStore: @Sendable (Representation) -> any BlockStore
  let tell: @Sendable (Event) -> Void
  let state: NIOLockedValueBox<State>

  /// - Parameters:
  ///   - known: the representation that an earlier answer proved, if any; without it the first answer
  ///     proves it.
  ///   - duration: for how long it plays, as far as that is known.
  ///   - makeStore: called once, and again for each `beginAnew`; may block on the disk.
  ///   - tell: called on any thread, with no lock held.
  package init(
    known: Representation?, duration: Duration? = nil, origin: any Origin,
    timekeeper: any Timekeeper, rules: FillRules, line: Line = .open, seed: UInt64,
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
        suspects: store?.suspects ?? [], rules: rules, line: line, seed: seed))
    state.fill.duration = duration
    state.store = store
    state.representation = known
    state.wasComplete = state.fill.isComplete
    self.state = NIOLockedValueBox(state)
  }

  // MARK: Readers

  /// A reader has come; `closed` must follow. For a scanner only the head is fetched.
  package func opened(isScanner: Bool) -> FillState.HandleID {
    state.withLockedValue { $0.fill.opened(isScanner: isScanner) }
  }

  /// A reader has come whose reads are answered elsewhere, of a file that is complete.
  package func openedUnseen() -> FillState.HandleID {
    let now = timekeeper.now
    defer { arm() }
    return state.withLockedValue { $0.fill.openedUnseen(at: now) }
  }

  package func closed(_ handle: FillState.HandleID) {
    change { $0.fill.closed(handle) }
  }

  /// Gives `receiver` the bytes of `range`, cut at the end of the representation: at once where they
  /// are held, otherwise when they have come.
  ///
  /// A held read takes no task and allocates nothing here.
  package func read(
    _ range: ByteRange, by handle: FillState.HandleID, into receiver: some ByteReceiver
  ) {
    let now = timekeeper.now
    let (store, isQuiet, isMoodNew) = state.withLockedValue {
      state -> ((any BlockStore)?, Bool, Bool) in
      guard state.fill.holds(range) else { return (nil, true, false) }
      state.outbox += state.fill.noted(range, by: handle, at: now)
      return (state.store, state.outbox.isEmpty, state.isMoodNew())
    }
    if !isQuiet { perform() }
    if isMoodNew { tell(.mood) }
    guard let store else { return wait(for: .bytes(range, handle, receiver), receiver) }
    switch lend(range, of: store, to: receiver) {
    case .answered: return
    case .lost: wait(for: .bytes(range, handle, receiver), receiver)
    case .onDisk: wait(for: .bytes(range, handle, receiver), receiver, on: store)
    }
  }

  /// Tells `receiver` the representation once it is proved, at once if it is.
  package func prove(_ receiver: any ProofReceiver) {
    if let representation { return receiver.proved(representation) }
    wait(for: .proof(receiver), receiver)
  }

  // MARK: The mount

  /// The feed was asked for a new address of this entry.
  package func renewed(changed: Bool) {
    let now = timekeeper.now
    change { $0.fill.renewed(changed: changed, at: now) }
    if !changed { tell(.gaveUp) }
  }

  /// From now on `parts` are fetched in the background; of others no more.
  package func preload(_ parts: [Part]) {
    let now = timekeeper.now
    change { $0.fill.preloads(parts, at: now) }
  }

  /// From now on `line` holds.
  package func turn(_ line: Line) {
    let now = timekeeper.now
    change { $0.fill.turned(line, at: now) }
  }

  /// A check has shown that the origin serves another version.
  package func supersede() {
    change { $0.fill.supersede() }
  }

  /// Every wait ends, and nothing is fetched any more.
  package func end() {
    change { $0.fill.ended() }
    endDiskWaits()
  }

  /// What is held, for the status; nil before the length is proved.
  package var representation: Representation? {
    state.withLockedValue { $0.representation }
  }

  /// How its readers are off.
  package var mood: Mood {
    state.withLockedValue { $0.mood }
  }

  /// Whether something is on its way still, be it for nobody.
  package var isFetching: Bool {
    state.withLockedValue { $0.fill.isFetching }
  }

  /// What is under way, for the status.
  package var report: FillReport {
    let now = timekeeper.now
    return state.withLockedValue { $0.fill.report(at: now) }
  }

  /// A copy of what is decided so far.
  package var snapshot: FillState {
    state.withLockedValue { $0.fill }
  }

  // MARK: Shared with the sink

  func change(_ event: (inout State) -> [FillState.Action]) {
    let isMoodNew = state.withLockedValue { state in
      state.outbox += event(&state)
      return state.isMoodNew()
    }
    perform()
    arm()
    if isMoodNew { tell(.mood) }
  }

  /// Tells the mount, once, when the last block has come.
  func noteCompletion() {
    let isNew = state.withLockedValue { state in
      guard !state.wasComplete, state.fill.isComplete else { return false }
      state.wasComplete = true
      return true
    }
    if isNew { tell(.completed) }
  }

  // MARK: Waiting

  /// The wait is known to its receiver before any other thread can answer it, and a cancel that
  /// comes between is not lost.
  ///
  /// - Parameter store: holds it, and its disk has to be asked; nil: the origin has to be.
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

  /// From here on `wait` is under way: any thread may answer it.
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
    // The first that ends it answers.
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
    /// Some of it is not there: it is to be fetched.
    case lost
    /// The disk has to be asked.
    case onDisk
  }

  /// `receiver` has its answer also where it could not read what it was given: then the blocks are lost, and
  /// who asks next gets them from the origin.
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
