/// Makes the bytes of a slot while the bytes of its fragment arrive.
///
/// With a transport stream, bytes of the slot are known soon after their packets have arrived; with
/// other formats, when the whole fragment has arrived. The bytes do not depend on how the fragment
/// is divided between calls.
package struct SlotComposer {
  private enum State {
    /// The whole fragment is needed. `received` has its bytes so far.
    case whole
    /// The fragment is packed audio. These are its bytes so far, decrypted.
    case packed([UInt8])
    /// The fragment is a segment of a transport stream, which can be cut anywhere.
    case segment(SegmentReader)
  }

  private let layout: StreamLayout
  private let slotBytes: SlotBytes
  private let key: [UInt8]?
  /// All keys of the stream, since other segments can have other keys.
  private let keys: [[UInt8]]
  /// The following segment, while bytes of it are needed.
  private var next: SlotEdge?
  /// The end of an earlier segment, while a time is searched for in it.
  private var tail: SlotTail?
  private var hasEnded = false
  private var cipher: CipherStream?
  private var clusters: SampleClusters?
  private var state: State
  /// The bytes of the fragment, as they are in its resource, if the whole fragment is needed.
  private var received = ByteRun(at: 0)
  /// Where the first packet begins in decrypted bytes that are still to come; nil once it was looked
  /// at, and if the fragment is not encrypted.
  private var firstPacket: Int?
  /// How the fragment's media compare with its samples. It is complete when the slot is complete.
  package private(set) var balance = MediaBalance()

  /// - Parameters:
  ///   - key: the key that the fragment is encrypted with; nil if it is not encrypted.
  ///   - keys: all keys of the stream, in the order of `FragmentKey.number`.
  package init(
    _ layout: StreamLayout, slot: Int, key: [UInt8]?, keys: [[UInt8]] = []
  ) throws(StreamError) {
    self.layout = layout
    slotBytes = SlotBytes(layout, slot: slot)
    (self.key, self.keys) = (key, keys)
    let fragment = layout.fragments[slot]
    guard layout.strands[fragment.strand].format == .samples else {
      state = .whole
      return
    }
    state = fragment.edge == nil ? .packed([]) : .segment(SegmentReader(try slotBytes.known()))
    clusters = SampleClusters(layout, slot: slot)
    if let own = fragment.key {
      guard let key else { throw .malformed("key") }
      cipher = CipherStream(try AES128(key: key), vector: own.vector)
      firstPacket = fragment.edge?.phase
    }
  }

  /// Receives the next bytes of the fragment, and returns the next bytes of the slot, if any are
  /// known now.
  package mutating func take(_ bytes: ArraySlice<UInt8>) throws(StreamError) -> [ArraySlice<UInt8>]
  {
    if case .whole = state {
      received.append(bytes)
      return []
    }
    return try add(try cipher?.take(bytes)[...] ?? bytes)
  }

  /// Ends the bytes of the fragment. Returns bytes of the slot as `take` does.
  ///
  /// If `needs` is not nil after this call, `takeNeeded` must be called with the bytes that it
  /// names.
  package mutating func endFragment() throws(StreamError) -> [ArraySlice<UInt8>] {
    guard case .segment = state, !hasEnded else { return [] }
    var made = try add(try cipher?.finish()[...] ?? [])
    hasEnded = true
    guard case .segment(var reader) = state else { return made }
    state = .whole
    let edge = SlotEdge(layout, behind: slotBytes.slot)
    if try reader.endSegment(before: edge?.edge), let edge {
      reader.beginNext(edge.edge)
      try open(edge)
    }
    made += try clusters?.add(reader.certain()) ?? []
    try look(before: reader)
    state = .segment(reader)
    return made
  }

  /// The bytes of another fragment that are needed next; nil if the slot can be finished.
  package var needs: (slot: Int, bytes: Range<Int>)? {
    if let next { return (next.slot, next.taken..<min(next.size, next.taken + next.step)) }
    guard let tail, let bytes = tail.needs else { return nil }
    return (tail.slot, bytes)
  }

  /// Receives the bytes that `needs` names. Returns bytes of the slot as `take` does.
  package mutating func takeNeeded(_ bytes: ArraySlice<UInt8>) throws(StreamError) -> [ArraySlice<
    UInt8
  >] {
    guard case .segment(var reader) = state else { return [] }
    guard var edge = next else { return try takeTail(bytes, &reader) }
    state = .whole
    try edge.take(bytes.count)
    var made = try clusters?.add(reader.takeNext(try cipher?.take(bytes)[...] ?? bytes)) ?? []
    next = reader.needsMore ? edge : nil
    if next != nil, edge.taken >= edge.size {
      if let cipher = try cipher?.finish() {
        made += try clusters?.add(reader.takeNext(cipher[...])) ?? []
      }
      let further = SlotEdge(layout, behind: edge.slot, before: edge)
      next = nil
      if try reader.endNext(before: further?.edge), let further {
        reader.beginNext(further.edge)
        try open(further)
      }
      made += try clusters?.add(reader.certain()) ?? []
    }
    // At the limit, following segments are no longer read if only a time is missing. An earlier
    // segment can have the time.
    if next?.isLast ?? false, reader.endWithoutTime() { next = nil }
    try look(before: reader)
    state = .segment(reader)
    return made
  }

  /// Begins to search for a time before the slot's own segment, if neither this segment nor the
  /// following segments have a time.
  private mutating func look(before reader: SegmentReader) throws(StreamError) {
    guard next == nil, reader.needsTime else { return }
    tail = try SlotTail(layout, before: slotBytes.slot, keys: keys)
  }

  /// Receives bytes before the slot's own segment. The last bytes before the segment come first.
  private mutating func takeTail(
    _ bytes: ArraySlice<UInt8>, _ reader: inout SegmentReader
  ) throws(StreamError) -> [ArraySlice<UInt8>] {
    guard var taken = tail else { return [] }
    state = .whole
    tail = nil
    taken.take(bytes)
    var made: [ArraySlice<UInt8>] = []
    if try reader.countTime(behind: try taken.bytes()) {
      made = try clusters?.add(reader.certain()) ?? []
    } else if taken.isWhole {
      tail = try SlotTail(layout, before: taken.slot, keys: keys, behind: taken)
    } else {
      tail = taken
    }
    state = .segment(reader)
    return made
  }

  private mutating func open(_ edge: SlotEdge) throws(StreamError) {
    next = edge
    cipher = nil
    if let own = layout.fragments[edge.slot].key {
      guard keys.indices.contains(own.number) else { throw .malformed("key") }
      cipher = CipherStream(try AES128(key: keys[own.number]), vector: own.vector)
    }
  }

  /// Returns the remaining bytes of the slot, after all bytes of the fragment, and all bytes that
  /// `needs` named, were received.
  package mutating func finish() throws(StreamError) -> [ArraySlice<UInt8>] {
    if case .whole = state {
      let made = try slotBytes.made(of: received, key: key)
      balance = made.balance
      return made.bytes
    }
    if case .segment = state {
      var made = try endFragment()
      guard case .segment(var reader) = state else { return made }
      state = .whole
      made += try clusters?.add(reader.finish()) ?? []
      balance.pass(reader.lost)
      return made + (try clusters?.finish() ?? [])
    }
    var made = try add(try cipher?.finish()[...] ?? [])
    guard case .packed(let held) = state else { return made }
    let segment = try SegmentedSamples.demuxed(
      held[...], slotBytes.contents, near: slotBytes.stamp(), as: slotBytes.tracks)
    balance.pass(segment.unclaimed)
    made += try clusters?.add(segment.samples(in: slotBytes.tracks), arePacked: true) ?? []
    return made + (try clusters?.finish() ?? [])
  }

  private mutating func add(_ plain: ArraySlice<UInt8>) throws(StreamError) -> [ArraySlice<UInt8>] {
    try checkKey(plain)
    switch state {
    case .segment(var reader):
      // `state` must not refer to the bytes of `reader` during the call, or they would be copied.
      state = .whole
      let samples = try reader.take(plain)
      state = .segment(reader)
      return try clusters?.add(samples) ?? []
    case .packed(var held):
      state = .whole
      held += plain
      state = .packed(held)
      return []
    case .whole: return []
    }
  }

  /// Throws if no packet begins where the first one must. With a wrong key the bytes are noise, of
  /// which the reader would make an empty slot.
  private mutating func checkKey(_ plain: ArraySlice<UInt8>) throws(StreamError) {
    guard let place = firstPacket, !plain.isEmpty else { return }
    firstPacket = place < plain.count ? nil : place - plain.count
    let places = [place, place + TransportPacket.length].filter { $0 < plain.count }
    guard places.allSatisfy({ plain[plain.startIndex + $0] == TransportPacket.sync }) else {
      throw .malformed("the key of a segment does not decrypt it")
    }
  }
}
