import Blocks
import HTTP
import Streaming
import Streams

/// Makes slots while their fragments come: the samples of each lie in the order of the slot.
extension FilmReader {
  /// Plans the requests for the slots that are made while their fragments come.
  func runs(
    for slots: Range<Int>, of range: ByteRange, _ fetch: FetchID
  ) async throws(StreamTrouble) -> [ResourceRun] {
    var runs: [ResourceRun] = []
    /// The open run of each strand.
    var open: [Int: (resource: Int, bytes: ByteRange, slots: ClosedRange<Int>)] = [:]
    var order: [Int] = []
    func close(_ strand: Int) {
      guard let run = open.removeValue(forKey: strand) else { return }
      runs.append(ResourceRun(resource: run.resource, bytes: run.bytes, slots: run.slots))
    }
    for slot in slots where SlotBytes.isInOrder(layout, slot: slot) {
      let fragment = layout.fragments[slot]
      if fragment.isGap { continue }
      let needed = try await needed(slot, of: range, fetch)
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

  /// Returns the bytes of the resource that the part of a slot in `range` needs.
  func needed(
    _ slot: Int, of range: ByteRange, _ fetch: FetchID
  ) async throws(StreamTrouble) -> ByteRange {
    let own = layout.bytes(ofSlot: slot)
    let fragment = layout.fragments[slot].bytes
    let cut = range.clamped(to: own)
    let part = cut.lowerBound - own.lowerBound..<cut.upperBound - own.lowerBound
    if part.lowerBound > Self.mostSkipped, maps[slot] == nil {
      try await findMap(slot, fetch)
    }
    if let pieces = maps[slot] {
      let source = pieces.cut(to: part).source
      return fragment.lowerBound + source.lowerBound..<fragment.lowerBound + source.upperBound
    }
    if cut == own { return fragment }
    // Where the samples lie is not known yet. The table of samples before them takes about a thirtieth
    // of a fragment at most, and some KiB of a short one. What is missing then is asked for.
    let ahead = part.upperBound + part.upperBound / 32 + Self.usualTable
    return fragment.lowerBound..<min(fragment.upperBound, fragment.lowerBound + ahead)
  }

  /// Asks for the beginning of a fragment, to know where its samples lie.
  func findMap(_ slot: Int, _ fetch: FetchID) async throws(StreamTrouble) {
    var map = ClusterMap(layout, slot: slot)
    let fragment = layout.fragments[slot]
    while let needs = map.needs {
      let count = max(needs.count, needs.lowerBound == 0 ? Self.beginning : 0)
      let start = fragment.bytes.lowerBound + needs.lowerBound
      let range = start..<min(fragment.bytes.upperBound, start + count)
      let bytes = try await read(range, of: fragment.resource, for: fetch)
      try take(bytes[...], at: needs.lowerBound, into: &map)
    }
    try keep(map, of: slot)
  }

  func take(
    _ bytes: ArraySlice<UInt8>, at offset: Int, into map: inout ClusterMap
  ) throws(StreamTrouble) {
    do throws(StreamFault) {
      try map.take(bytes, at: offset)
    } catch {
      throw StreamTrouble(ofSlot: error)
    }
  }

  /// Returns the pieces of a slot whose map needs no more bytes, and keeps them for a while.
  @discardableResult
  func keep(_ map: ClusterMap, of slot: Int) throws(StreamTrouble) -> [SlotPiece] {
    let pieces: [SlotPiece]
    do throws(StreamFault) {
      let made = try map.made()
      pieces = made.pieces
      note(made.balance, of: slot)
    } catch {
      throw StreamTrouble(ofSlot: error)
    }
    if maps.updateValue(pieces, forKey: slot) == nil { mapOrder.append(slot) }
    if mapOrder.count > Self.keptMaps { maps[mapOrder.removeFirst()] = nil }
    return pieces
  }

  /// Delivers a part of a slot while its fragment comes.
  func deliver(
    _ part: Range<Int>, ofSlot slot: Int, _ delivery: inout Delivery
  ) async throws(StreamTrouble) {
    let fragment = layout.fragments[slot]
    let run = delivery.runs.first { $0.slots.contains(slot) && $0.resource == fragment.resource }
    for piece in try await pieces(ofSlot: slot, run, &delivery).cut(to: part) {
      switch piece {
      case .bytes(let bytes): delivery.add(bytes[...])
      case .zeros(let count): delivery.add(zeros: count)
      case .range(let range):
        let start = fragment.bytes.lowerBound + range.lowerBound
        try await pass(start..<start + range.count, of: fragment.resource, run, &delivery)
      }
    }
  }

  /// Returns the pieces of a slot. Reads the beginning of its fragment if they are not known.
  private func pieces(
    ofSlot slot: Int, _ run: ResourceRun?, _ delivery: inout Delivery
  ) async throws(StreamTrouble) -> [SlotPiece] {
    if let known = maps[slot] { return known }
    let fragment = layout.fragments[slot]
    let start = fragment.bytes.lowerBound
    var map = ClusterMap(layout, slot: slot)
    while let needs = map.needs {
      if let run, start + needs.upperBound <= run.bytes.upperBound, start >= run.bytes.lowerBound {
        try await fill(run, to: start + needs.upperBound, &delivery)
        let bytes = run.available(from: start + needs.lowerBound).prefix(needs.count)
        try take(bytes, at: needs.lowerBound, into: &map)
      } else {
        let bytes = try await read(
          start + needs.lowerBound..<start + needs.upperBound, of: fragment.resource,
          for: delivery.outlet.fetch)
        try take(bytes[...], at: needs.lowerBound, into: &map)
      }
    }
    return try keep(map, of: slot)
  }

  /// Delivers bytes of a resource as they come.
  func pass(
    _ range: ByteRange, of resource: Int, _ run: ResourceRun?, _ delivery: inout Delivery
  ) async throws(StreamTrouble) {
    var place = range.lowerBound
    if let run, run.bytes.contains(place) {
      let end = min(range.upperBound, run.bytes.upperBound)
      while place < end {
        var bytes = run.available(from: place)
        if bytes.isEmpty {
          try await fill(run, to: place + 1, &delivery)
          bytes = run.available(from: place)
        }
        bytes = bytes.prefix(end - place)
        delivery.add(bytes)
        place += bytes.count
      }
      run.drop(before: place)
    }
    guard place < range.upperBound else { return }
    delivery.rest()
    let rest = try await read(place..<range.upperBound, of: resource, for: delivery.outlet.fetch)
    delivery.add(rest[...])
  }

  /// Waits until the bytes of a run before `place` are there.
  func fill(
    _ run: ResourceRun, to place: Int, _ delivery: inout Delivery
  ) async throws(StreamTrouble) {
    begin(run, for: delivery.outlet.fetch)
    guard let transfer = run.transfer else { return }
    while run.available(from: place - 1).isEmpty {
      if !transfer.hasMore || !run.isAdmitted { delivery.rest() }
      if !run.isAdmitted {
        try await admit(transfer, of: run.resource, urgencies[delivery.outlet.fetch] ?? .demand)
        run.isAdmitted = true
      }
      guard let bytes = try await transfer.next() else {
        throw StreamTrouble(.failed, "a piece of its stream is shorter than it should be")
      }
      run.add(bytes)
    }
  }

  func begin(_ run: ResourceRun, for fetch: FetchID) {
    guard run.transfer == nil else { return }
    run.begin(start(run.bytes, of: run.resource, for: fetch))
  }
}
