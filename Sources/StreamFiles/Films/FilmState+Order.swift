import Blocks
import Filling
import Streams

/// Finds the samples of a slot in its fragment, to deliver bytes before the whole fragment has
/// come. If fragment and slot have the samples in the same order, the slot is delivered while the
/// fragment comes. In other slots, only the wanted part is made.
extension FilmState {
  /// If at most this many bytes of a slot precede the wanted bytes, one request brings all of them.
  /// To find the wanted bytes by a separate request would cost a round trip, in which as many bytes
  /// come.
  static let maxSkipped = 128 << 10
  /// The limit for unneeded bytes between two ranges that are fetched by one request. These bytes
  /// cost less than a second request.
  static let widestGap = 16 << 10
  /// The number of a fragment's first bytes that are requested to find its sample table.
  static let beginning = 16 << 10
  /// The usual size of the sample table in a short fragment, in bytes.
  static let usualTable = 8 << 10
  /// The limit for the slots in `maps`. The pieces of one slot take about ten KiB of memory.
  static let retainedMaps = 32
  /// A fragment of at most this many bytes is fetched whole, because its bytes cost no more than
  /// further requests.
  static let minParted = 512 << 10
  /// The limit for the ranges that are requested to make one part of a slot. Usually one has
  /// picture, one has sound, and one has other bytes.
  static let maxRanges = 3

  // MARK: Plans

  /// Plans the requests for the slots that are delivered while their fragments come. Returns false
  /// if the plan needs bytes that have not come yet.
  mutating func plan(_ fetch: inout FilmFetch) throws(PieceError) -> Bool {
    if fetch.search != nil { return try search(&fetch) }
    let slots = layout.slots(touching: fetch.place..<fetch.end)
    // The wanted range can leave out the beginning of the first slot, but not of later ones.
    if let first = slots.first, SlotBytes.isInOrder(layout, slot: first),
      !layout.fragments[first].isGap, maps[first] == nil,
      part(of: first, fetch).lowerBound > Self.maxSkipped
    {
      try checkLost(first)
      fetch.search = FilmFetch.Search(layout, slot: first)
      return true
    }
    fetch.runs = runs(for: slots, of: fetch)
    fetch.isPlanned = true
    return true
  }

  private func runs(for slots: Range<Int>, of fetch: FilmFetch) -> [FilmFetch.Run] {
    var runs: [FilmFetch.Run] = []
    /// By strand: the run that the strand's next fragment can extend.
    var open: [Int: (resource: Int, bytes: ByteRange, slots: ClosedRange<Int>)] = [:]
    var order: [Int] = []
    func close(_ strand: Int) {
      guard let run = open.removeValue(forKey: strand) else { return }
      runs.append(FilmFetch.Run(resource: run.resource, bytes: run.bytes, slots: run.slots))
    }
    for slot in slots where SlotBytes.isInOrder(layout, slot: slot) {
      let fragment = layout.fragments[slot]
      if fragment.isGap { continue }
      let needed = needed(slot, of: fetch)
      if needed.isEmpty { continue }
      if let run = open[fragment.strand], run.resource == fragment.resource,
        needed.lowerBound >= run.bytes.upperBound,
        needed.lowerBound - run.bytes.upperBound <= Self.widestGap
      {
        open[fragment.strand] = (
          run.resource, run.bytes.lowerBound..<needed.upperBound, run.slots.lowerBound...slot
        )
      } else {
        close(fragment.strand)
        open[fragment.strand] = (fragment.resource, needed, slot...slot)
        if !order.contains(fragment.strand) { order.append(fragment.strand) }
      }
    }
    for strand in order { close(strand) }
    return runs.sorted { $0.slots.lowerBound < $1.slots.lowerBound }
  }

  /// Returns the bytes of the resource that are needed for the part of a slot that a fetch wants.
  private func needed(_ slot: Int, of fetch: FilmFetch) -> ByteRange {
    let fragment = layout.fragments[slot].bytes
    let part = part(of: slot, fetch)
    if let pieces = maps[slot] {
      let source = pieces.cut(to: part).source
      return fragment.lowerBound + source.lowerBound..<fragment.lowerBound + source.upperBound
    }
    if part.count == layout.fragments[slot].slot { return fragment }
    // The places of the samples are not known yet. The sample table in front of them takes about a
    // thirtieth of a fragment at most, and some KiB of a short fragment. If `ahead` turns out to be
    // too small, the missing bytes are requested later.
    let ahead = part.upperBound + part.upperBound / 32 + Self.usualTable
    return fragment.lowerBound..<min(fragment.upperBound, fragment.lowerBound + ahead)
  }

  /// Whether only the part of a slot that `fetch` wants is made. If the fetch wants the whole slot,
  /// the slot is made from one request, for all fetches. So is a slot of moderate size if a fetch
  /// of the read-ahead wants its beginning: the next fetch will probably want its other bytes.
  func isMadeInPart(_ slot: Int, of fetch: FilmFetch) -> Bool {
    let fragment = layout.fragments[slot]
    let isMade = slots[slot].map { $0.isWhole || $0.isAtWork } ?? false
    guard !isMade, !fragment.isGap, fragment.key == nil,
      layout.strands[fragment.strand].format == .movie,
      fragment.bytes.count > Self.minParted
    else { return false }
    let own = layout.bytes(ofSlot: slot)
    let readsOn = fetch.urgency != .demand && fetch.begin <= own.lowerBound
    if readsOn, fragment.bytes.count <= Self.maxUnwanted { return false }
    return (fetch.begin..<fetch.end).clamped(to: own) != own
  }

  // MARK: Places of samples

  /// Finds the pieces of the slot that is being delivered. Returns false if this needs bytes that
  /// have not come yet.
  mutating func findPieces(_ fetch: inout FilmFetch) throws(PieceError) -> Bool {
    guard let reading = fetch.reading else { return false }
    guard let known = maps[reading.slot] else {
      if fetch.search == nil {
        try checkLost(reading.slot)
        fetch.search = FilmFetch.Search(layout, slot: reading.slot)
      }
      return try search(&fetch)
    }
    let pieces = known.cut(to: part(of: reading.slot, fetch))
    fetch.reading?.pieces = pieces
    guard reading.way == .part else { return true }
    let fragment = layout.fragments[reading.slot]
    let start = fragment.bytes.lowerBound
    for range in pieces.sources(joining: Self.widestGap, atMost: Self.maxRanges) {
      var run = FilmFetch.Run(
        resource: fragment.resource, bytes: start + range.lowerBound..<start + range.upperBound,
        slots: reading.slot...reading.slot)
      begin(&run, for: fetch)
      fetch.reading?.runs.append(run)
    }
    return true
  }

  /// Does the next step of the fetch's search for samples. Returns false if the step needs bytes
  /// that have not come yet.
  private mutating func search(_ fetch: inout FilmFetch) throws(PieceError) -> Bool {
    guard var search = fetch.search else { return true }
    if let needs = search.map.needs {
      let found = try bytes(needs, of: &search, &fetch)
      fetch.search = search
      guard let found else { return false }
      do throws(StreamError) {
        try search.map.take(found, at: needs.lowerBound)
      } catch {
        return try searchAgain(search, error, &fetch)
      }
      fetch.search = search
      return true
    }
    do throws(StreamError) {
      let made = try search.map.made()
      note(made.balance, of: search.slot)
      keep(made.pieces, of: search.slot)
    } catch {
      return try searchAgain(search, error, &fetch)
    }
    fetch.search = nil
    return true
  }

  /// Returns the bytes `needs` of the fragment, for a search; nil if they are still to come.
  private mutating func bytes(
    _ needs: Range<Int>, of search: inout FilmFetch.Search, _ fetch: inout FilmFetch
  ) throws(PieceError) -> ArraySlice<UInt8>? {
    let fragment = layout.fragments[search.slot]
    let start = fragment.bytes.lowerBound
    let isInOrder = fetch.reading?.way == .order && !search.isSecond
    let run = fetch.runs.firstIndex { run in
      run.slots.contains(search.slot) && run.resource == fragment.resource
        && run.bytes.lowerBound <= start && start + needs.upperBound <= run.bytes.upperBound
    }
    if isInOrder, let run {
      begin(run: run, of: &fetch)
      guard let piece = fetch.runs[run].piece else { return nil }
      return try brought(start + needs.lowerBound..<start + needs.upperBound, by: piece)
    }
    let first = start + needs.lowerBound
    let count = isInOrder || needs.lowerBound > 0 ? needs.count : max(needs.count, Self.beginning)
    let range = first..<min(fragment.bytes.upperBound, first + count)
    let piece = search.piece ?? ask(range, of: fragment.resource, for: fetch)
    search.piece = piece
    guard let found = try brought(range, by: piece) else { return nil }
    giveUp(piece)
    search.piece = nil
    return found
  }

  /// Returns the bytes of `range` that the request `id` has brought; nil if they are still to come.
  private func brought(
    _ range: ByteRange, by id: PieceID
  ) throws(PieceError) -> ArraySlice<UInt8>? {
    guard let piece = pieces[id] else { return nil }
    if piece.isAdmitted, let bytes = piece.bytes.bytes(range) { return bytes }
    if let failure = piece.failure { throw failure }
    if piece.isAdmitted, piece.hasEnded { throw Self.short }
    return nil
  }

  /// Begins the search once more, in the bytes of a new answer. No slot can be made from the
  /// earlier bytes, but they were perhaps damaged on the way. Throws if the second search failed
  /// too.
  private mutating func searchAgain(
    _ search: FilmFetch.Search, _ fault: StreamError, _ fetch: inout FilmFetch
  ) throws(PieceError) -> Bool {
    let trouble = PieceError(ofSlot: fault)
    guard trouble.end == .impossible, !search.isSecond else {
      if trouble.end == .impossible { lose(search.slot, trouble) }
      throw trouble
    }
    giveUpPieces(of: fetch)
    (fetch.runs, fetch.reading, fetch.isPlanned) = ([], nil, false)
    fetch.search = FilmFetch.Search(layout, slot: search.slot, isSecond: true)
    return true
  }

  /// Remembers the pieces of a slot. Forgets the oldest ones if more than `retainedMaps` slots have
  /// pieces.
  private mutating func keep(_ pieces: [SlotPiece], of slot: Int) {
    lost[slot] = nil
    if maps.updateValue(pieces, forKey: slot) == nil { mapOrder.append(slot) }
    if mapOrder.count > Self.retainedMaps { maps[mapOrder.removeFirst()] = nil }
  }
}
