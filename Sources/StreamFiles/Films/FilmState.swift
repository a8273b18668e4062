import Blocks
import Filling
import Streams

/// Decides how to get the bytes of a stream's file: which requests to send, which slots to make,
/// and which fetch gets which bytes.
///
/// A fetch needs one request for each run of neighbouring fragments. If a fragment has its samples
/// in another order than the slot, the slot is made once for all fetches that want it, and stays in
/// memory for a while.
///
/// It is a value without a clock and without threads. Each event returns actions, which the caller
/// performs in order. An event of a piece or a fetch that has ended returns no action.
struct FilmState {
  enum Action: Equatable {
    /// Requests a range of a resource.
    case ask(
      PieceID, resource: Int, bytes: ByteRange, expected: Representation?, Urgency)
    case promote(PieceID)
    case cancel(PieceID)
    case give(FetchID, ArraySlice<UInt8>, at: Int)
    /// Tells the sink that the next bytes of a fetch take a while.
    case rested(FetchID)
    /// Ends a fetch. The error is nil if all its bytes were given.
    case end(FetchID, PieceError?)
    /// Asks the caller to call `tick` at this time.
    case wake(at: Duration)
  }

  /// Work that can perhaps go on after an event.
  private enum Due: Hashable {
    case piece(PieceID)
    case slot(Int)
    case fetch(FetchID)
  }

  /// A slot that could not be made from two answers.
  struct LostSlot {
    let trouble: PieceError
    let tries: Int
    /// The time before which the slot is not tried again.
    let until: Duration
  }

  let film: Film
  var layout: StreamLayout { film.layout }
  /// The time of the event that is being handled.
  var now: Duration = .zero
  var fetches: [FetchID: FilmFetch] = [:]
  var pieces: [PieceID: FilmPiece] = [:]
  private var lastPiece = PieceID.none
  /// The slots that are made as wholes. `slotOrder` begins with the slot that was wanted longest
  /// ago.
  var slots: [Int: MadeSlot] = [:]
  var slotOrder: [Int] = []
  var lost: [Int: LostSlot] = [:]
  /// By slot: the slot's pieces, if the places of its samples were found. `mapOrder` begins with
  /// the slot whose pieces were found first.
  var maps: [Int: [SlotPiece]] = [:]
  var mapOrder: [Int] = []
  /// By resource: the version of the latest answer.
  var versions: [Int: Representation] = [:]
  /// By resource: the proof that decides which answers can be used. A resource has a proof if the
  /// layout knows the beginning of one of its fragments.
  var proofs: [Int: ResourceProof]
  /// By resource: the offset of its first fragment, the end of its last fragment, and the number of
  /// its fragments.
  let extents: [Int: (start: Int, end: Int, fragments: Int)]
  /// By slot: how much media of its fragment the slot lacks. A slot that lacks none is not here.
  var uneven: [Int: MediaBalance] = [:]
  private var actions: [Action] = []
  private var due: [Due] = []
  /// The time of the next `tick` that the caller was asked for; nil if no tick is to come.
  private var armedFor: Duration?

  init(_ film: Film) {
    proofs = film.layout.proofs
    for (resource, version) in film.seen { proofs[resource]?.compared(version) }
    var extents: [Int: (start: Int, end: Int, fragments: Int)] = [:]
    for fragment in film.layout.fragments where !fragment.isGap {
      let known = extents[fragment.resource] ?? (.max, 0, 0)
      extents[fragment.resource] = (
        min(known.start, fragment.bytes.lowerBound), max(known.end, fragment.bytes.upperBound),
        known.fragments + 1
      )
    }
    self.extents = extents
    // If no slot can be made from the beginning of a fragment, the bytes are requested again later.
    for (slot, beginning) in film.beginnings {
      slots[slot] = try? MadeSlot(film.layout, slot: slot, beginning, keys: film.keys)
    }
    slotOrder = slots.keys.sorted()
    var film = film
    film.beginnings = [:]
    film.seen = [:]
    self.film = film
    for slot in slots.values { note(slot.balance, of: slot.number) }
  }

  var facts: FilmFacts { FilmFacts(uneven: uneven, hasLostSlot: !lost.isEmpty) }

  /// Notes which media of its fragment a slot lacks, if it lacks any.
  mutating func note(_ balance: MediaBalance, of slot: Int) {
    if !balance.isEven { uneven[slot] = balance }
  }

  // MARK: Events of fetches

  /// Begins a fetch: the bytes of `range` are to be delivered in order.
  mutating func wants(
    _ id: FetchID, _ range: ByteRange, _ urgency: Urgency, at now: Duration
  ) -> [Action] {
    self.now = now
    fetches[id] = FilmFetch(id, range, urgency)
    if urgency == .demand { leaveUnwanted(but: layout.slots(touching: range)) }
    look(at: .fetch(id))
    return decided()
  }

  /// Raises the urgency of a fetch.
  mutating func promoted(_ id: FetchID, at now: Duration) -> [Action] {
    self.now = now
    guard fetches[id] != nil else { return [] }
    fetches[id]?.urgency = .demand
    for piece in pieces.keys.sorted() where owner(of: piece) == .fetch(id) { promote(piece) }
    for slot in slots.keys.sorted() where slots[slot]?.fetches.contains(id) == true {
      if let piece = slots[slot]?.piece { promote(piece) }
    }
    return decided()
  }

  /// Ends a fetch whose bytes are no longer wanted.
  mutating func cancelled(_ id: FetchID, at now: Duration) -> [Action] {
    self.now = now
    end(id, PieceError(.unanswered, nil))
    return decided()
  }

  /// Ends the work on slots that no fetch wants. Call this when no reader has the file open any
  /// more.
  mutating func closed(at now: Duration) -> [Action] {
    self.now = now
    leaveUnwanted(but: 0..<0)
    return decided()
  }

  // MARK: Events of pieces

  /// Notes the version that an answer belongs to.
  mutating func answered(
    _ id: PieceID, _ version: Representation, isWhole: Bool, at now: Duration
  ) -> [Action] {
    self.now = now
    guard pieces[id] != nil else { return [] }
    pieces[id]?.version = version
    pieces[id]?.isWhole = isWhole
    look(at: .piece(id))
    return decided()
  }

  /// Takes the next bytes of an answer.
  mutating func received(_ id: PieceID, _ bytes: [UInt8], at now: Duration) -> [Action] {
    self.now = now
    guard pieces[id] != nil else { return [] }
    pieces[id]?.bytes.append(bytes[...])
    if let piece = pieces[id], piece.isAll, piece.isWhole, !piece.hasEnded {
      // A server without ranges sends the whole resource, so the request is cancelled after the
      // range.
      pieces[id]?.hasEnded = true
      perform(.cancel(id))
    }
    look(at: .piece(id))
    return decided()
  }

  /// Notes the end of an answer. `trouble` is nil if the answer is complete.
  mutating func ended(_ id: PieceID, _ trouble: PieceError?, at now: Duration) -> [Action] {
    self.now = now
    guard let piece = pieces[id], !piece.hasEnded else { return [] }
    pieces[id]?.hasEnded = true
    // If all wanted bytes came before the end, `trouble` does not matter.
    if !piece.isAll { pieces[id]?.failure = trouble }
    look(at: .piece(id))
    return decided()
  }

  // MARK: Time

  /// Notes that time has passed.
  mutating func tick(_ now: Duration) -> [Action] {
    self.now = now
    if let armedFor, armedFor <= now { self.armedFor = nil }
    endLinger()
    for id in pieces.keys.sorted() {
      guard let retry = pieces[id]?.retry, retry <= now else { continue }
      pieces[id]?.retry = nil
      look(at: .piece(id))
    }
    return decided()
  }

  private var nextWake: Duration? {
    let ends = slots.values.compactMap(\.lingersUntil) + pieces.values.compactMap(\.retry)
    return ends.min()
  }

  // MARK: Shared by the parts

  mutating func perform(_ action: Action) {
    actions.append(action)
  }

  mutating func look(atSlot slot: Int) { look(at: .slot(slot)) }
  mutating func look(atFetch fetch: FetchID) { look(at: .fetch(fetch)) }
  mutating func look(atPiece piece: PieceID) { look(at: .piece(piece)) }

  private mutating func look(at next: Due) {
    if !due.contains(next) { due.append(next) }
  }

  /// Begins a request for a range of a resource, and returns its name.
  mutating func ask(
    _ bytes: ByteRange, of resource: Int, for owner: FilmPiece.Owner, _ urgency: Urgency,
    expected: Representation?
  ) -> PieceID {
    lastPiece = lastPiece.next
    pieces[lastPiece] = FilmPiece(bytes, of: resource, for: owner, urgency)
    perform(.ask(lastPiece, resource: resource, bytes: bytes, expected: expected, urgency))
    return lastPiece
  }

  func owner(of piece: PieceID) -> FilmPiece.Owner? { pieces[piece]?.owner }

  mutating func promote(_ id: PieceID) {
    guard let piece = pieces[id], piece.urgency != .demand else { return }
    pieces[id]?.urgency = .demand
    if !piece.hasEnded { perform(.promote(id)) }
    for other in pieces.keys.sorted() where owner(of: other) == .proof(of: id) { promote(other) }
  }

  /// Forgets a request, and cancels it if more bytes of it would come.
  mutating func giveUp(_ id: PieceID) {
    guard let piece = pieces.removeValue(forKey: id) else { return }
    if !piece.isOver { perform(.cancel(id)) }
    for other in pieces.keys.sorted() where owner(of: other) == .proof(of: id) { giveUp(other) }
  }

  /// Goes on with all work that is due, and returns the actions that follow.
  private mutating func decided() -> [Action] {
    while !due.isEmpty {
      switch due.removeFirst() {
      case .piece(let id): admit(id)
      case .slot(let slot): make(slot)
      case .fetch(let id): goOn(id)
      }
    }
    forgetOldest()
    if let wake = nextWake, armedFor.map({ wake < $0 }) ?? true {
      armedFor = wake
      perform(.wake(at: wake))
    }
    defer { actions = [] }
    return actions
  }
}

/// The facts about a stream's file that other threads read while its slots are made.
struct FilmFacts: Sendable {
  /// By slot: how much media of its fragment the slot lacks. A slot that lacks none is not here.
  fileprivate(set) var uneven: [Int: MediaBalance]
  /// Whether there is a slot that could not be made from two answers, and was not made since then.
  let hasLostSlot: Bool

  /// The media that the slots made so far lack, in words for the user; nil if they lack none.
  var loss: String? { uneven.values.reduce(MediaBalance(), +).words }
}
