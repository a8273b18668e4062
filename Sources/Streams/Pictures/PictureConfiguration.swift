/// The parameter sets of a track, and the configuration record that is made of them for decoders
/// (ISO 14496-15).
struct PictureConfiguration: Hashable {
  private var video: [[UInt8]] = []
  private var sequence: [[UInt8]] = []
  private var picture: [[UInt8]] = []

  /// Whether all parameter sets that a configuration record needs are known.
  func isWhole(for codec: PictureCodec) -> Bool {
    let isDescribed = codec == .h264 || !video.isEmpty
    return isDescribed && !sequence.isEmpty && !picture.isEmpty
  }

  mutating func take(_ unit: ArraySlice<UInt8>, as kind: PictureCodec.Unit) {
    guard unit.count <= 65_535 else { return }
    let bytes = Array(unit)
    switch kind {
    case .videoParameters: Self.add(bytes, to: &video)
    case .sequenceParameters: Self.add(bytes, to: &sequence)
    case .pictureParameters: Self.add(bytes, to: &picture)
    case .delimiter, .information, .slice, .other: break
    }
  }

  private static func add(_ bytes: [UInt8], to sets: inout [[UInt8]]) {
    if sets.count < 31, !sets.contains(bytes) { sets.append(bytes) }
  }

  /// Returns the description of the track. Throws if sets are missing, or cannot be read.
  func description(_ codec: PictureCodec) throws(StreamError) -> TrackDescription {
    guard isWhole(for: codec), let first = sequence.first else {
      throw .malformed("pictures without parameter sets")
    }
    let facts: SequenceParameters
    switch codec {
    case .h264: facts = try SequenceParameters(h264: first[...])
    case .hevc: facts = try SequenceParameters(hevc: first[...])
    }
    return TrackDescription(
      kind: .video(width: facts.width, height: facts.height),
      codec: codec.name,
      codecPrivate: codec == .h264 ? try avcRecord(facts) : try hevcRecord(facts),
      timescale: TimeStamp.scale)
  }

  /// Returns the AVCDecoderConfigurationRecord (ISO 14496-15 §5.3.3.1).
  private func avcRecord(_ facts: SequenceParameters) throws(StreamError) -> [UInt8] {
    guard let first = sequence.first, first.count >= 4 else { throw .truncated("parameter set") }
    var record: [UInt8] = [1] + first[1...3] + [0xFF, 0xE0 | UInt8(sequence.count)]
    for set in sequence { record += UInt16(set.count).bigEndianBytes + set }
    record.append(UInt8(picture.count))
    for set in picture { record += UInt16(set.count).bigEndianBytes + set }
    if [100, 110, 122, 144, 244].contains(first[1]) {
      record += [0xFC | UInt8(facts.chroma), 0xF8 | UInt8(facts.lumaDepth - 8)]
      record += [0xF8 | UInt8(facts.chromaDepth - 8), 0]
    }
    return record
  }

  /// Returns the HEVCDecoderConfigurationRecord (ISO 14496-15 §8.3.3.1).
  private func hevcRecord(_ facts: SequenceParameters) throws(StreamError) -> [UInt8] {
    var reader = BitReader(unescaping: sequence.first ?? [])
    try reader.skip(24)
    var record: [UInt8] = [1]
    // The sequence parameter set has profile, compatibility, constraints and level in the same form
    // as the record.
    for _ in 0..<12 { record.append(UInt8(try reader.bits(8))) }
    record += [0xF0, 0x00, 0xFC, 0xFC | UInt8(facts.chroma)]
    record += [0xF8 | UInt8(facts.lumaDepth - 8), 0xF8 | UInt8(facts.chromaDepth - 8), 0, 0]
    record.append(UInt8(facts.layers) << 3 | (facts.isNested ? 4 : 0) | 3)
    let arrays: [(UInt8, [[UInt8]])] = [(32, video), (33, sequence), (34, picture)]
    record.append(UInt8(arrays.count))
    for (kind, sets) in arrays {
      record += [kind] + UInt16(sets.count).bigEndianBytes
      for set in sets { record += UInt16(set.count).bigEndianBytes + set }
    }
    return record
  }
}
