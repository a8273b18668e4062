import Blocks
import Filling
import Streams

/// Delivers the bytes of each fetch in order.
extension FilmState {
  /// The number of bytes of small pieces that are gathered for one call of the sink. A call costs
  /// as much time as copying a few KiB.
  private static let portion = 64 << 10
  /// A run of at least this many bytes is given to the sink without a copy.
  private static let minDirect = 4 << 10
  private static let zeros = [UInt8](repeating: 0, count: portion)

  /// Delivers all bytes of a fetch that are available, and requests the bytes that it needs next.
  mutating func goOn(_ id: FetchID) {
    guard var fetch = fetches.removeValue(forKey: id) else { return }
    do throws(PieceError) {
      while fetch.place < fetch.end {
        guard try step(&fetch) else {
          flush(&fetch)
          if !fetch.isResting { perform(.rested(id)) }
          fetch.isResting = true
          fetches[id] = fetch
          return
        }
      }
      end(&fetch, nil)
    } catch {
      end(&fetch, error)
    }
  }

  mutating func end(_ id: FetchID, _ trouble: PieceError?) {
    guard var fetch = fetches.removeValue(forKey: id) else { return }
    end(&fetch, trouble)
  }

  /// Ends a fetch, and the work that only this fetch needs. Bytes that were gathered before a
  /// failure are right, so they are still delivered.
  private mutating func end(_ fetch: inout FilmFetch, _ trouble: PieceError?) {
    flush(&fetch)
    giveUpPieces(of: fetch)
    leave(fetch.id, isDone: trouble == nil)
    perform(.end(fetch.id, trouble))
  }

  func slot(at place: Int) -> Int { layout.slots(touching: place..<place + 1).lowerBound }

  /// Returns the range of a slot that a fetch still wants, counted from the slot's beginning.
  func part(of slot: Int, _ fetch: FilmFetch) -> Range<Int> {
    let own = layout.bytes(ofSlot: slot)
    let cut = (fetch.place..<fetch.end).clamped(to: own)
    return cut.lowerBound - own.lowerBound..<cut.upperBound - own.lowerBound
  }

  /// Delivers some bytes of the fetch, or does the next step towards them. Returns false if the
  /// step needs bytes that have not come yet.
  private mutating func step(_ fetch: inout FilmFetch) throws(PieceError) -> Bool {
    if fetch.place < layout.head.count {
      add(layout.head[fetch.place..<min(fetch.end, layout.head.count)], to: &fetch)
      return true
    }
    guard fetch.isPlanned else { return try plan(&fetch) }
    let slot = slot(at: fetch.place)
    if fetch.reading?.slot != slot { enter(slot, &fetch) }
    guard let reading = fetch.reading else { return false }
    if reading.way == .whole { return try giveWhole(slot, to: &fetch) }
    guard let pieces = reading.pieces else { return try findPieces(&fetch) }
    // The pieces are shorter than the slot. So the next slot's bytes would be cached at a wrong
    // offset.
    guard reading.piece < pieces.count else {
      throw PieceError(.failed, "a part of the stream has another size than was announced")
    }
    return try give(pieces[reading.piece], &fetch)
  }

  /// Begins to deliver a slot.
  private mutating func enter(_ slot: Int, _ fetch: inout FilmFetch) {
    for piece in (fetch.reading?.runs ?? []).compactMap(\.piece) { giveUp(piece) }
    lookAhead(from: slot, &fetch)
    let way: FilmFetch.Way =
      SlotBytes.isInOrder(layout, slot: slot)
      ? .order : isMadeInPart(slot, of: fetch) ? .part : .whole
    fetch.reading = FilmFetch.Reading(slot: slot, way: way)
  }

  /// Starts the requests for `slot` and for some slots after it, so that later bytes come while
  /// `slot` is delivered. A failure to request a later slot does not affect the bytes before that
  /// slot.
  private mutating func lookAhead(from slot: Int, _ fetch: inout FilmFetch) {
    let end = layout.slots(touching: fetch.place..<fetch.end).upperBound
    var bytes = 0
    for next in slot...min(end - 1, slot + Self.slotsAhead) {
      if let run = fetch.runs.firstIndex(where: { $0.slots.lowerBound == next }) {
        begin(run: run, of: &fetch)
      } else if !SlotBytes.isInOrder(layout, slot: next), !(slots[next]?.isWhole ?? false),
        !isMadeInPart(next, of: fetch)
      {
        bytes += layout.fragments[next].bytes.count
        if next > slot, bytes > Self.maxAhead { return }
        guard (try? want(next, for: fetch)) != nil else { return }
      }
    }
  }

  // MARK: Giving

  private mutating func giveWhole(
    _ slot: Int, to fetch: inout FilmFetch
  ) throws(PieceError) -> Bool {
    if slots[slot].map({ !$0.isWhole && !$0.fetches.contains(fetch.id) }) ?? true {
      try want(slot, for: fetch)
    }
    let part = part(of: slot, fetch)
    guard let bytes = slots[slot]?.bytes.next(from: part.lowerBound).prefix(part.count),
      !bytes.isEmpty
    else { return false }
    add(bytes, to: &fetch)
    return true
  }

  /// Delivers the next bytes of `piece`. Returns false if they are still to come.
  private mutating func give(
    _ piece: SlotPiece, _ fetch: inout FilmFetch
  ) throws(PieceError) -> Bool {
    let given = fetch.reading?.given ?? 0
    var count = piece.count - given
    switch piece {
    case .bytes(let bytes): add(bytes.dropFirst(given), to: &fetch)
    case .zeros:
      count = min(count, Self.portion)
      add(Self.zeros[..<count], to: &fetch)
    case .range(let range):
      let bytes = try available(range.lowerBound + given..<range.upperBound, &fetch)
      guard !bytes.isEmpty else { return false }
      count = bytes.count
      add(bytes, to: &fetch)
    }
    fetch.reading?.given += count
    if given + count == piece.count {
      fetch.reading?.given = 0
      fetch.reading?.piece += 1
    }
    return true
  }

  /// Returns the first bytes of a range of the slot's fragment; none if they are still to come.
  private mutating func available(
    _ range: Range<Int>, _ fetch: inout FilmFetch
  ) throws(PieceError) -> ArraySlice<UInt8> {
    guard let reading = fetch.reading else { return [] }
    let fragment = layout.fragments[reading.slot]
    let start = fragment.bytes.lowerBound + range.lowerBound
    let has = { (run: FilmFetch.Run) in
      run.slots.contains(reading.slot) && run.resource == fragment.resource
        && run.bytes.contains(start)
    }
    let run: FilmFetch.Run
    var isInOrder = false
    if reading.way == .order, let planned = fetch.runs.firstIndex(where: has) {
      begin(run: planned, of: &fetch)
      run = fetch.runs[planned]
      isInOrder = true
    } else {
      if !reading.runs.contains(where: has) {
        // No planned run has these bytes: they were not yet known to be needed when the runs were
        // planned.
        fetch.reading?.runs.append(
          FilmFetch.Run(
            resource: fragment.resource, bytes: start..<start + range.count,
            slots: reading.slot...reading.slot))
      }
      guard let own = fetch.reading?.runs.firstIndex(where: has),
        var begun = fetch.reading?.runs[own]
      else { return [] }
      begin(&begun, for: fetch)
      fetch.reading?.runs[own] = begun
      run = begun
    }
    guard let piece = run.piece, let bytes = try taken(from: start, of: piece) else { return [] }
    let part = bytes.prefix(range.count)
    if isInOrder { pieces[piece]?.bytes.forget(before: start + part.count) }
    return part
  }

  /// Returns the bytes that the request `id` has brought from `place` on; nil if they are still to
  /// come.
  private func taken(
    from place: Int, of id: PieceID
  ) throws(PieceError) -> ArraySlice<UInt8>? {
    guard let piece = pieces[id] else { return nil }
    if piece.isAdmitted {
      let bytes = piece.bytes.next(from: place)
      if !bytes.isEmpty { return bytes }
    }
    if let failure = piece.failure { throw failure }
    if piece.isAdmitted, piece.hasEnded { throw Self.short }
    return nil
  }

  private mutating func add(_ bytes: ArraySlice<UInt8>, to fetch: inout FilmFetch) {
    fetch.isResting = false
    guard bytes.count < Self.minDirect else {
      flush(&fetch)
      perform(.give(fetch.id, bytes, at: fetch.place))
      fetch.place += bytes.count
      return
    }
    if fetch.portion.isEmpty { fetch.portion.reserveCapacity(Self.portion) }
    fetch.portion += bytes
    fetch.place += bytes.count
    if fetch.portion.count > Self.portion - Self.minDirect { flush(&fetch) }
  }

  /// Gives the gathered bytes of small pieces to the sink.
  private mutating func flush(_ fetch: inout FilmFetch) {
    guard !fetch.portion.isEmpty else { return }
    perform(.give(fetch.id, fetch.portion[...], at: fetch.place - fetch.portion.count))
    fetch.portion = []
  }

  // MARK: Requests of a fetch

  mutating func begin(_ run: inout FilmFetch.Run, for fetch: FilmFetch) {
    if run.piece == nil { run.piece = ask(run.bytes, of: run.resource, for: fetch) }
  }

  /// Sends the request for a planned run, unless it was sent already.
  mutating func begin(run number: Int, of fetch: inout FilmFetch) {
    guard fetch.runs[number].piece == nil else { return }
    let run = fetch.runs[number]
    fetch.runs[number].piece = ask(run.bytes, of: run.resource, for: fetch)
  }

  mutating func ask(_ bytes: ByteRange, of resource: Int, for fetch: FilmFetch) -> PieceID {
    ask(
      bytes, of: resource, for: .fetch(fetch.id), fetch.urgency,
      expected: proofs[resource] == nil ? versions[resource] : nil)
  }

  mutating func giveUpPieces(of fetch: FilmFetch) {
    for piece in pieces.keys.sorted() where owner(of: piece) == .fetch(fetch.id) { giveUp(piece) }
  }
}
