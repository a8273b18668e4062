import Blocks
import Filling
import Streams

/// Makes whole slots, once for all fetches that want them.
extension FilmState {
  /// The number of later slots whose bytes are fetched while a slot is delivered. Together with the
  /// delivered slot, these are usually two slots of picture and two of sound.
  static let slotsAhead = 3
  /// The limit for the bytes of later slots that are made as wholes. They are in memory until they
  /// are delivered.
  static let maxAhead = 8 << 20
  /// The limit for the bytes of slots that stay in memory. They stay because a fetch often ends
  /// within a slot, and the next fetch goes on in the same slot.
  static let retainedBytes = 12 << 20
  /// If no fetch wants a slot any more, the request for its fragment still goes on for a moment
  /// when at most this many bytes are missing. To end the request would cost a connection.
  static let maxUnwanted = 8 << 20
  /// The time for which a request goes on although no fetch wants its slot. If the reader reads on,
  /// its next fetch begins within this time.
  static let linger = Duration.seconds(1)
  /// The time before a slot that could not be made is tried again. It doubles with each failure, up
  /// to `maxLostPause`.
  static let lostPause = Duration.milliseconds(500)
  static let maxLostPause = Duration.milliseconds(4500)

  /// Notes that a fetch wants a slot, and begins to make the slot unless it is made or being made.
  mutating func want(_ number: Int, for fetch: FilmFetch) throws(PieceError) {
    try checkLost(number)
    if slots[number] == nil {
      slots[number] = try MadeSlot(layout, slot: number, keys: film.keys)
    }
    slotOrder.removeAll { $0 == number }
    slotOrder.append(number)
    guard slots[number]?.isWhole == false else { return }
    slots[number]?.fetches.insert(fetch.id)
    slots[number]?.lingersUntil = nil
    if let piece = slots[number]?.piece {
      if fetch.urgency == .demand { promote(piece) }
    } else {
      slots[number]?.urgency = fetch.urgency
      look(atSlot: number)
    }
  }

  /// Throws if the slot could not be made from two answers, and the pause after that is not over.
  func checkLost(_ slot: Int) throws(PieceError) {
    if let lost = lost[slot], now < lost.until { throw lost.trouble }
  }

  /// Notes that the slot could not be made from two answers. Until a pause is over, it is not tried
  /// again.
  mutating func lose(_ slot: Int, _ trouble: PieceError) {
    let tries = lost[slot]?.tries ?? 0
    let pause = min(Self.lostPause * (1 << min(tries, 4)), Self.maxLostPause)
    lost[slot] = LostSlot(trouble: trouble, tries: tries + 1, until: now + pause)
  }

  // MARK: Making

  /// Makes as much of a slot as the bytes that have come allow, and requests the missing bytes.
  mutating func make(_ number: Int) {
    // The slot is removed from `slots` meanwhile, because with two owners its bytes would be
    // copied.
    guard var slot = slots.removeValue(forKey: number) else { return }
    do throws(PieceError) {
      try goOn(&slot)
      slots[number] = slot
    } catch {
      slots[number] = slot
      return fail(slot: number, error)
    }
    for fetch in slot.fetches.sorted() { look(atFetch: fetch) }
    guard slot.isWhole else { return }
    lost[number] = nil
    slots[number]?.fetches = []
    slots[number]?.lingersUntil = nil
    note(slot.balance, of: number)
  }

  private mutating func goOn(_ slot: inout MadeSlot) throws(PieceError) {
    let fragment = layout.fragments[slot.number]
    while !slot.isWhole {
      if let piece = slot.piece {
        guard try take(piece, &slot) else { return }
        giveUp(piece)
        slot.piece = nil
        continue
      }
      if slot.taken < fragment.bytes.count {
        guard slot.isWanted else { return }
        let start = fragment.bytes.lowerBound + slot.taken
        slot.piece = begin(start..<fragment.bytes.upperBound, of: fragment.resource, for: slot)
        return
      }
      try slot.endFragment()
      // The last samples can continue in the next fragments, and an earlier fragment can have the
      // time at which this fragment begins.
      guard let needs = slot.needs else {
        try slot.finish()
        continue
      }
      guard slot.isWanted else { return }
      let next = layout.fragments[needs.slot]
      let start = next.bytes.lowerBound
      // The version of the needed bytes is checked too. Otherwise one slot could have bytes of two
      // versions.
      slot.piece = begin(
        start + needs.bytes.lowerBound..<start + needs.bytes.upperBound, of: next.resource,
        for: slot)
      return
    }
  }

  /// Takes the bytes that the request `id` has brought. Returns false if more must come.
  private mutating func take(
    _ id: PieceID, _ slot: inout MadeSlot
  ) throws(PieceError) -> Bool {
    guard pieces[id]?.isAdmitted ?? false else { return false }
    let count = layout.fragments[slot.number].bytes.count
    if slot.taken < count {
      slot.version = pieces[id]?.version
      while let portion = pieces[id]?.bytes.popFirst() { try slot.take(portion) }
      if slot.taken >= count { return true }
    } else if let piece = pieces[id], let bytes = piece.bytes.bytes(piece.wanted) {
      try slot.takeNeeded(bytes)
      return true
    }
    guard let piece = pieces[id], piece.hasEnded else { return false }
    throw piece.failure ?? Self.short
  }

  /// Begins a request for the bytes that a slot needs.
  private mutating func begin(
    _ range: ByteRange, of resource: Int, for slot: MadeSlot
  ) -> PieceID {
    // A segment that is a resource of its own is fetched whole, so its length is proof enough, and
    // no version is demanded. Servers behind one address often give one version different tags.
    let isAlone = isAlone(resource)
    defer { if isAlone { versions[resource] = nil } }
    return ask(
      range, of: resource, for: .slot(slot.number), slot.urgency,
      expected: isAlone || proofs[resource] != nil ? nil : versions[resource])
  }

  /// Whether a slot can go on with an answer of this version. If it cannot, its bytes so far are
  /// dropped.
  mutating func isOf(_ version: Representation, _ number: Int) -> Bool {
    guard let slot = slots[number] else { return true }
    let fragment = layout.fragments[number]
    // The slot has all bytes of its own fragment. The bytes that it still needs are of other
    // fragments.
    guard slot.taken < fragment.bytes.count else { return true }
    // An origin may give each answer another tag. To begin the slot again each time would never
    // end, so it is begun again only once.
    if slot.wasBegunAnew, proofs[fragment.resource] != nil { return true }
    return slots[number]?.isOf(version) ?? true
  }

  /// Requests a slot's fragment from its beginning, because the answer has another version than the
  /// bytes so far.
  mutating func restart(_ number: Int) {
    stop(number)
    look(atSlot: number)
  }

  /// Handles a failure to make a slot.
  ///
  /// Damaged bytes can look like media that no slot can have, and the next answer may be undamaged.
  /// So after the first such failure, the fragment is requested once more. After the second one,
  /// the slot counts as impossible for a while. Any other failure ends the fetches that wait for
  /// the slot now, and a later fetch requests the fragment again.
  mutating func fail(slot number: Int, _ trouble: PieceError) {
    guard let failed = slots[number] else { return }
    stop(number)
    if trouble.end == .impossible, failed.fault == nil, !failed.fetches.isEmpty,
      var second = try? MadeSlot(layout, slot: number, keys: film.keys)
    {
      second.fault = trouble
      (second.fetches, second.urgency) = (failed.fetches, failed.urgency)
      slots[number] = second
      return look(atSlot: number)
    }
    if trouble.end == .impossible, failed.fault != nil { lose(number, trouble) }
    forget(number)
    for id in failed.fetches.sorted() where fetches[id]?.reading?.slot == number {
      end(id, trouble)
    }
  }

  private mutating func stop(_ number: Int) {
    if let piece = slots[number]?.piece { giveUp(piece) }
    slots[number]?.piece = nil
    slots[number]?.lingersUntil = nil
  }

  // MARK: Leaving

  /// Ends the work on slots that only `fetch` wants.
  ///
  /// - Parameter isDone: true if the fetch has all its bytes. Then the next fetch may go on in the
  ///   same slot. So the work on a slot that lacks few bytes goes on for a moment.
  mutating func leave(_ fetch: FetchID, isDone: Bool) {
    for number in slots.keys.sorted() where slots[number]?.fetches.remove(fetch) != nil {
      guard let slot = slots[number], slot.fetches.isEmpty, slot.piece != nil else { continue }
      let missing = layout.fragments[number].bytes.count - slot.taken
      if isDone, missing <= Self.maxUnwanted {
        slots[number]?.lingersUntil = now + Self.linger
      } else {
        stop(number)
      }
    }
  }

  /// Ends the work on slots that no fetch has wanted for the time `linger`. Otherwise this work
  /// would go on while the player is paused.
  mutating func endLinger() {
    for number in slots.keys.sorted() {
      if let end = slots[number]?.lingersUntil, end <= now { stop(number) }
    }
  }

  /// Ends the work on slots that no fetch wants, except for those in `wanted`.
  mutating func leaveUnwanted(but wanted: Range<Int>) {
    for number in slots.keys.sorted() where !wanted.contains(number) {
      if let slot = slots[number], slot.piece != nil, slot.fetches.isEmpty { stop(number) }
    }
  }

  private mutating func forget(_ number: Int) {
    slots[number] = nil
    slotOrder.removeAll { $0 == number }
  }

  mutating func forgetOldest() {
    var size = slots.values.reduce(0) { $0 + $1.memory }
    for number in slotOrder where size > Self.retainedBytes && slots.count > 2 {
      guard let old = slots[number], !old.isAtWork else { continue }
      size -= old.memory
      forget(number)
    }
  }
}
