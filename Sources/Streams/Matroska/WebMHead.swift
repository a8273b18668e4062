/// The Info and Tracks elements of a WebM or Matroska file.
package struct WebMHead: Equatable, Sendable {
  package let tracks: [WebMTrack]
  /// The duration of the file in nanoseconds; nil if the file does not tell it.
  package let duration: Int?

  /// - Throws: `unsupported` for an encrypted file, and for times in another unit than
  ///   milliseconds, since blocks are copied with their times.
  package init(info: Element, tracks: Element) throws(StreamError) {
    let facts = try info.children
    let scale = try facts.first { $0.id == ElementID.timestampScale }?.number
    guard scale ?? MediaTime.millisecond == MediaTime.millisecond else {
      throw .unsupported("the times of the WebM file are not in milliseconds")
    }
    let duration = try facts.first { $0.id == ElementID.duration }?.float ?? 0
    // A duration of more than about a hundred years is an error of the file. In nanoseconds, more
    // than 292 years would not fit into an `Int`.
    self.duration =
      duration > 0 && duration < 3.2e12 ? Int(duration * Double(MediaTime.millisecond)) : nil
    var found: [WebMTrack] = []
    for entry in try tracks.children where entry.id == ElementID.trackEntry {
      let track = try WebMTrack(entry)
      guard !found.contains(where: { $0.number == track.number }) else {
        throw .malformed("TrackNumber")
      }
      found.append(track)
      try StreamLimit.tracks.check(found.count)
    }
    self.tracks = found
  }
}

/// One track of a WebM file.
package struct WebMTrack: Equatable, Sendable {
  package let number: Int
  /// The description of the picture or sound; nil for a track of another type.
  package let description: TrackDescription?
  /// The content of the track's TrackEntry without number and UID, to be copied.
  package let entry: [UInt8]

  init(_ element: Element) throws(StreamError) {
    let parts = try element.children
    func part(_ id: UInt32) -> Element? { parts.first { $0.id == id } }
    guard let number = try part(ElementID.trackNumber)?.number, (1...126).contains(number) else {
      throw .malformed("TrackNumber")
    }
    self.number = number
    if let encodings = part(ElementID.contentEncodings) { try Self.refuseEncryption(encodings) }
    var entry: [UInt8] = []
    for part in parts
    where part.id != ElementID.trackNumber && part.id != ElementID.trackUID
      && part.id != ElementID.checksum && part.id != ElementID.void
    {
      entry += [UInt8].element(part.id, Array(part.body))
    }
    self.entry = entry
    let kind: TrackDescription.Kind
    switch try part(ElementID.trackType)?.number {
    case 1:
      let video = part(ElementID.video)
      kind = .video(
        width: try video?.first(ElementID.pixelWidth)?.number ?? 0,
        height: try video?.first(ElementID.pixelHeight)?.number ?? 0)
    case 2:
      let audio = part(ElementID.audio)
      let rate = try audio?.first(ElementID.samplingFrequency)?.float ?? 8000
      kind = .audio(
        rate: rate >= 0 && rate < 1e9 ? Int(rate) : 0,
        channels: try audio?.first(ElementID.channels)?.number ?? 1)
    default:
      description = nil
      return
    }
    description = TrackDescription(
      kind: kind, codec: part(ElementID.codecID)?.text ?? "",
      codecPrivate: Array(part(ElementID.codecPrivate)?.body ?? []),
      language: part(ElementID.language)?.text ?? "eng", timescale: 1000,
      defaultDuration: try part(ElementID.defaultDuration)?.number,
      codecDelay: try part(ElementID.codecDelay)?.number ?? 0,
      seekPreRoll: try part(ElementID.seekPreRoll)?.number ?? 0)
  }

  private static func refuseEncryption(_ encodings: Element) throws(StreamError) {
    for encoding in try encodings.children where encoding.id == ElementID.contentEncoding {
      if try encoding.first(ElementID.contentEncryption) != nil {
        throw .unsupported("the stream is protected by DRM, so feedfs cannot read it")
      }
    }
  }
}
