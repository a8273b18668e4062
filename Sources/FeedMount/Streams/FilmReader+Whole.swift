import Blocks
import HTTP
import Streaming
import Streams

/// Makes slots as wholes, once for all fetches that want them.
extension FilmReader {
  /// Starts what the next slots need, so that it comes while one is delivered.
  func lookAhead(
    from slot: Int, in slots: Range<Int>, of range: ByteRange, _ delivery: Delivery
  ) throws(StreamTrouble) {
    let last = min(slots.upperBound - 1, slot + Self.slotsAhead)
    var bytes = 0
    for next in slot...last {
      if let run = delivery.runs.first(where: { $0.slots.lowerBound == next }) {
        begin(run, for: delivery.outlet.fetch)
      } else if !SlotBytes.isInOrder(layout, slot: next), !(made[next]?.isWhole ?? false),
        !isMadeInPart(next, of: range, for: delivery.outlet.fetch)
      {
        bytes += layout.fragments[next].bytes.count
        if next > slot, bytes > Self.mostAhead { return }
        _ = try want(next, for: delivery.outlet.fetch)
      }
    }
  }

  /// Returns the slot, which is there or is being made from now on.
  func want(_ slot: Int, for fetch: FetchID) throws(StreamTrouble) -> MadeSlot {
    let wanted: MadeSlot
    if let known = made[slot] {
      wanted = known
    } else {
      let key = layout.fragments[slot].key
      wanted = try MadeSlot(
        layout, slot: slot,
        key: key.flatMap { film.keys.indices.contains($0.number) ? film.keys[$0.number] : nil },
        keys: film.keys)
      made[slot] = wanted
    }
    madeOrder.removeAll { $0 == slot }
    madeOrder.append(slot)
    guard !wanted.isWhole else { return wanted }
    wanted.fetches.insert(fetch)
    if wanted.work == nil {
      nextWork += 1
      let urgency = urgencies[fetch] ?? .demand
      wanted.begin(
        nextWork,
        pieces.tasks.start { [number = nextWork] in await self.make(slot, number, urgency) })
    } else if urgencies[fetch] == .demand {
      wanted.transfer?.promote()
    }
    return wanted
  }

  /// Delivers a part of a slot while it is made.
  func deliver(
    ofWhole part: Range<Int>, ofSlot slot: Int, _ delivery: inout Delivery
  ) async throws(StreamTrouble) {
    let fetch = delivery.outlet.fetch
    let wanted = try want(slot, for: fetch)
    var place = part.lowerBound
    while place < part.upperBound {
      let end = min(part.upperBound, wanted.bytes.count)
      if place < end {
        delivery.add(wanted.bytes[place..<end])
        place = end
        continue
      }
      if Task.isCancelled { throw StreamTrouble(.unanswered, nil) }
      if let trouble = wanted.trouble { throw trouble }
      guard wanted.work != nil else { throw StreamTrouble(.unanswered, nil) }
      delivery.rest()
      await wanted.more()
    }
  }

  /// Makes a slot, or the rest of it. A failure is that of the fetches that wait now, and of no later
  /// one: the next one begins with the fragment anew.
  private func make(_ slot: Int, _ number: Int, _ urgency: Urgency) async {
    guard let work = made[slot], work.work?.number == number else { return }
    do throws(StreamTrouble) {
      try await make(work, number, urgency)
      guard work.work?.number == number else { return }
      work.end()
    } catch {
      guard work.work?.number == number else { return }
      forget(slot)
      work.end(error)
    }
    forgetOldest()
  }

  private func make(
    _ work: MadeSlot, _ number: Int, _ urgency: Urgency
  ) async throws(StreamTrouble) {
    let fragment = layout.fragments[work.slot]
    if work.taken < fragment.bytes.count {
      let transfer = begin(
        fragment.bytes.lowerBound + work.taken..<fragment.bytes.upperBound, of: fragment.resource,
        for: work, urgency)
      let answer = try await transfer.answer()
      guard work.work?.number == number else { return }
      try check(answer.representation, of: fragment.resource)
      // Where each answer has a tag of its own, it would be made anew again and again.
      let goesOn = work.wasBegunAnew && proofs[fragment.resource] != nil
      guard goesOn || work.isOf(answer.representation) else {
        transfer.cancel()
        return try await make(work, number, urgency)
      }
      try await admit(transfer, of: fragment.resource, urgency)
      guard work.work?.number == number else { return }
      if goesOn { work.goOn(with: answer.representation) }
      // The slot is finished in the same step in which its last bytes are taken. Else the work could
      // be ended between, and nothing would be left to ask for.
      while work.taken < fragment.bytes.count {
        let bytes = try await transfer.next()
        // Bytes that come after the work was ended are asked for again.
        guard work.work?.number == number else { return }
        guard let bytes else { throw Self.short }
        try work.take(bytes)
      }
    }
    try work.endFragment()
    // Fragments behind it end what the fragment has begun, and one before it may tell its time.
    while let needs = work.needs {
      let next = layout.fragments[needs.slot]
      let start = next.bytes.lowerBound
      let transfer = begin(
        start + needs.bytes.lowerBound..<start + needs.bytes.upperBound, of: next.resource,
        for: work, urgency)
      // They must be of the version of the layout too, or one slot would have bytes of two versions.
      try await admit(transfer, of: next.resource, urgency)
      guard work.work?.number == number else { return }
      var bytes: [UInt8] = []
      while bytes.count < needs.bytes.count {
        let more = try await transfer.next()
        guard work.work?.number == number else { return }
        guard let more else { throw Self.short }
        bytes += more
      }
      try work.takeNeeded(bytes)
    }
    try work.finish()
    guard work.bytes.count == fragment.slot else {
      throw StreamTrouble(.failed, "a slot of \(work.bytes.count) bytes")
    }
    note(work.balance, of: work.slot)
  }

  private static let short = StreamTrouble(
    .failed, "a piece of its stream is shorter than it should be")

  /// Starts a request for what a slot needs. The bytes may be taken after `admit`.
  private func begin(
    _ range: ByteRange, of resource: Int, for work: MadeSlot, _ urgency: Urgency
  ) -> PieceTransfer {
    // A segment of its own is fetched whole, so its length tells enough. Servers behind one address
    // often name one version by different tags.
    let isAlone = isAlone(resource)
    let transfer = pieces.start(
      film.resources[resource], range,
      expected: isAlone || proofs[resource] != nil ? nil : versions[resource], urgency)
    work.transfer = transfer
    if isAlone { versions[resource] = nil }
    return transfer
  }

  /// Ends the work on slots that only `fetch` wants.
  ///
  /// - Parameter isDone: true if the fetch has all its bytes. Then the next one may go on in the
  ///   same slot, and the work goes on for a moment if little is missing.
  func leave(_ fetch: FetchID, isDone: Bool) {
    for slot in made.values where slot.fetches.remove(fetch) != nil {
      let missing = layout.fragments[slot.slot].bytes.count - slot.taken
      if let work = slot.work, slot.fetches.isEmpty {
        if isDone, missing <= Self.mostUnwanted {
          linger(slot.slot, work.number)
        } else {
          slot.rest()
        }
      }
      slot.wake()
    }
    forgetOldest()
  }

  /// Ends the work of this number a moment later, if nobody wants its slot then. Nothing else would
  /// end it in a pause.
  private func linger(_ slot: Int, _ number: Int) {
    let tasks = pieces.tasks
    _ = tasks.start {
      try? await tasks.sleep(for: Self.linger)
      await self.leave(slot, number)
    }
  }

  private func leave(_ slot: Int, _ number: Int) {
    guard let slot = made[slot], slot.work?.number == number, slot.fetches.isEmpty else { return }
    slot.rest()
    forgetOldest()
  }

  /// Ends the work on slots that nobody wants, as other bytes are wanted now.
  func leaveUnwanted(but slots: Range<Int>) {
    for slot in made.values
    where slot.work != nil && slot.fetches.isEmpty && !slots.contains(slot.slot) {
      slot.rest()
    }
  }

  private func forget(_ slot: Int) {
    made[slot] = nil
    madeOrder.removeAll { $0 == slot }
  }

  private func forgetOldest() {
    var size = made.values.reduce(0) { $0 + $1.memory }
    for slot in madeOrder where size > Self.keptBytes && made.count > 2 {
      guard let old = made[slot], old.work == nil else { continue }
      size -= old.memory
      forget(slot)
    }
  }
}
