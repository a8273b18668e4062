/// Makes the bytes of a slot while its fragment comes.
///
/// Those of a transport stream are known soon after their packets, by the second recipe. All others are
/// known when the whole fragment is there. The bytes are the same however the fragment was cut.
package struct SlotComposer {
  /// The bytes by which the format of a segment is known.
  private static let beginning = 400

  private enum State {
    /// The whole fragment is needed, as it lies in its resource.
    case whole([UInt8])
    /// These plain bytes do not tell the format yet.
    case beginning([UInt8])
    /// These plain bytes are of packed sound.
    case packed([UInt8])
    case transport(TransportReader)
  }

  private let slotBytes: SlotBytes
  private let key: [UInt8]?
  private var cipher: CipherStream?
  private var clusters: SampleClusters?
  private var state: State
  /// The media of the fragment that is in no sample, once the slot is finished.
  package private(set) var balance = MediaBalance()

  /// - Parameter key: the key by which the fragment is encrypted; nil if it is not.
  package init(_ layout: StreamLayout, slot: Int, key: [UInt8]?) throws(StreamFault) {
    slotBytes = SlotBytes(layout, slot: slot)
    self.key = key
    guard Self.composes(layout, slot: slot) else {
      state = .whole([])
      return
    }
    state = .beginning([])
    clusters = SampleClusters(layout, slot: slot)
    if let own = layout.fragments[slot].key {
      guard let key else { throw .malformed("key") }
      cipher = CipherStream(try AES128(key: key), vector: own.vector)
    }
  }

  /// Whether the samples of a slot are put into clusters while its fragment comes.
  static func composes(_ layout: StreamLayout, slot: Int) -> Bool {
    let fragment = layout.fragments[slot]
    return layout.recipe != .first && !fragment.isGap
      && layout.strands[fragment.strand].format == .samples
  }

  /// Takes the next bytes of the fragment. Returns the next bytes of the slot that are known by them.
  package mutating func take(_ bytes: ArraySlice<UInt8>) throws(StreamFault) -> [UInt8] {
    if case .whole(var held) = state {
      state = .whole([])
      if held.isEmpty { held.reserveCapacity(slotBytes.fragmentSize) }
      held += bytes
      state = .whole(held)
      return []
    }
    return try add(try cipher?.take(bytes)[...] ?? bytes, isAll: false)
  }

  /// Returns the rest of the slot, at the end of the fragment.
  package mutating func finish() throws(StreamFault) -> [UInt8] {
    if case .whole(let held) = state {
      let made = try slotBytes.made(of: held, key: key)
      balance = made.balance
      return made.bytes
    }
    var made = try add(try cipher?.finish()[...] ?? [], isAll: true)
    switch state {
    case .packed(let held):
      let segment = try PackedAudio.read(
        held[...], near: slotBytes.stamp(), as: slotBytes.tracks)
      balance.pass(segment.unclaimed)
      made += try clusters?.add(segment.samples, arePacked: true) ?? []
    case .transport(var reader): made += try clusters?.add(reader.finish()) ?? []
    case .whole, .beginning: break
    }
    return made + (try clusters?.finish() ?? [])
  }

  private mutating func add(
    _ plain: ArraySlice<UInt8>, isAll: Bool
  ) throws(StreamFault) -> [UInt8] {
    switch state {
    case .transport(var reader):
      // The reader has its bytes alone, or they would be copied.
      state = .whole([])
      let samples = try reader.take(plain)
      state = .transport(reader)
      return try clusters?.add(samples) ?? []
    case .packed(var held):
      state = .whole([])
      held += plain
      state = .packed(held)
      return []
    case .beginning(let held):
      let bytes = held + plain
      guard isAll || bytes.count >= Self.beginning else {
        state = .beginning(bytes)
        return []
      }
      guard StreamContainer(beginning: bytes) != .packedAudio else {
        state = .packed(bytes)
        return []
      }
      state = .transport(
        TransportReader(
          slotBytes.contents, near: try slotBytes.stamp(), as: slotBytes.tracks))
      return try add(bytes[...], isAll: isAll)
    case .whole: return []
    }
  }
}

/// Puts samples of a slot's strand into clusters.
private struct SampleClusters {
  private let map: ClusterMap
  /// The numbers in the file of the picture and of the sound, if the strand has them.
  private let numbers: [Int?]
  private var composer: ClusterComposer

  init(_ layout: StreamLayout, slot: Int) {
    let fragment = layout.fragments[slot]
    map = ClusterMap(layout, slot: slot)
    numbers = [true, false].map { isVideo in
      layout.tracks.firstIndex {
        $0.strand == fragment.strand && $0.description.isVideo == isVideo
      }
    }
    composer = ClusterComposer(slot: fragment.slot, most: layout.recipe.cluster)
  }

  /// - Parameters:
  ///   - samples: with the numbers that `TransportReader.take` gives to tracks.
  ///   - arePacked: true if they are sound alone.
  mutating func add(
    _ samples: [MediaSample], arePacked: Bool = false
  ) throws(StreamFault) -> [UInt8] {
    var pieces: [SlotPiece] = []
    for sample in samples {
      guard let number = numbers[arePacked ? 1 : sample.track] else { continue }
      try composer.append(map.block(of: sample, inTrack: number), to: &pieces)
    }
    return try pieces.bytes(of: [])
  }

  mutating func finish() throws(StreamFault) -> [UInt8] {
    var pieces: [SlotPiece] = []
    try composer.finish(&pieces)
    return try pieces.bytes(of: [])
  }
}
