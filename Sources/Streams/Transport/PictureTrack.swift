/// Takes the pictures of one stream out of its PES packets.
struct PictureTrack {
  private let codec: PictureCodec
  private var configuration = PictureConfiguration()
  private var pictures: [Picture] = []
  /// The packet whose picture may go on in the next one.
  private var pending: (unit: PacketizedUnit, bytes: ArraySlice<UInt8>)?

  private struct Picture {
    let decoding: Int
    let presentation: Int
    let isKey: Bool
    let isDiscardable: Bool
    let bytes: [UInt8]
  }

  init(_ codec: PictureCodec) {
    self.codec = codec
  }

  /// - Parameter place: a time that is nearer to the picture's than a day.
  mutating func take(_ unit: PacketizedUnit, near place: Int) {
    if unit.presentation == nil {
      pending?.bytes += unit.bytes
      return
    }
    finish(near: place)
    pending = (unit, unit.bytes)
  }

  /// Ends the last picture.
  mutating func finish(near place: Int) {
    guard let (unit, bytes) = pending, let presentation = unit.presentation else { return }
    pending = nil
    let shown = TimeStamp.unwrapped(presentation, near: place)
    let decoded = TimeStamp.unwrapped(unit.decoding ?? presentation, near: shown)
    let wasWhole = configuration.isWhole(for: codec)
    var units: [Range<Int>] = []
    var (isKey, isRecovery, hasSlice, isReference) = (false, false, false, false)
    for range in AnnexB.units(in: bytes) {
      let kind = codec.unit(bytes[range.lowerBound])
      switch kind {
      case .delimiter: continue
      case .slice(let key, let reference):
        hasSlice = true
        isKey = isKey || key
        isReference = isReference || reference
      case .information:
        isRecovery = isRecovery || PictureCodec.isRecoveryPoint(bytes[range])
      case .videoParameters, .sequenceParameters, .pictureParameters:
        if !wasWhole { configuration.take(bytes[range], as: kind) }
      case .other: break
      }
      units.append(range)
    }
    guard hasSlice else { return }
    pictures.append(
      Picture(
        decoding: decoded, presentation: shown, isKey: isKey || isRecovery,
        isDiscardable: !isReference, bytes: AnnexB.lengthPrefixed(units, of: bytes)))
  }

  var isEmpty: Bool { pictures.isEmpty }

  func description() throws(StreamFault) -> TrackDescription {
    var description = try configuration.description(codec)
    description.defaultDuration = usualDuration.map { $0 * 1_000_000_000 / TimeStamp.scale }
    return description
  }

  /// The mean distance of the pictures' times, in ticks.
  private var usualDuration: Int? {
    let times = pictures.map(\.presentation)
    guard let first = times.min(), let last = times.max(), last > first else { return nil }
    return (last - first) / (times.count - 1)
  }

  /// Returns the pictures that are whole, as samples without durations, and forgets them.
  mutating func takeWhole() -> [MediaSample] {
    defer { pictures.removeAll() }
    return pictures.map {
      MediaSample(
        track: 0, time: $0.decoding, composition: $0.presentation - $0.decoding, isKey: $0.isKey,
        isDiscardable: $0.isDiscardable, bytes: $0.bytes[...])
    }
  }

  func samples(track: Int) -> [MediaSample] {
    pictures.indices.map { place in
      let picture = pictures[place]
      let next = place + 1 < pictures.count ? pictures[place + 1].decoding : nil
      return MediaSample(
        track: track, time: picture.decoding,
        composition: picture.presentation - picture.decoding,
        duration: max(0, next.map { $0 - picture.decoding } ?? usualDuration ?? 0),
        isKey: picture.isKey, isDiscardable: picture.isDiscardable, bytes: picture.bytes[...])
    }
  }
}
