/// Writes the TrackEntry elements of the stream's file.
package enum MatroskaTrack {
  /// - Parameter copied: the content of the track's TrackEntry in a WebM file, without number and
  ///   UID; nil to make the content from `track`.
  package static func entry(
    _ track: TrackDescription, number: Int, copied: [UInt8]?
  ) -> [UInt8] {
    var body = [UInt8].element(ElementID.trackNumber, number: number)
    body += [UInt8].element(ElementID.trackUID, number: number)
    body += copied ?? content(track)
    return [UInt8].element(ElementID.trackEntry, body)
  }

  private static func content(_ track: TrackDescription) -> [UInt8] {
    var body = [UInt8].element(ElementID.flagLacing, number: 0)
    let language = TrackDescription.threeLetters(track.language)
    body += [UInt8].element(ElementID.language, text: language)
    body += [UInt8].element(ElementID.codecID, text: track.codec)
    if !track.codecPrivate.isEmpty {
      body += [UInt8].element(ElementID.codecPrivate, track.codecPrivate)
    }
    if track.codecDelay > 0 {
      body += [UInt8].element(ElementID.codecDelay, number: track.codecDelay)
    }
    if track.seekPreRoll > 0 {
      body += [UInt8].element(ElementID.seekPreRoll, number: track.seekPreRoll)
    }
    // Without this duration, some players cannot derive decoding times, and freeze after a seek.
    if let duration = track.defaultDuration, duration > 0 {
      body += [UInt8].element(ElementID.defaultDuration, number: duration)
    }
    switch track.kind {
    case .video(let width, let height):
      body += [UInt8].element(ElementID.trackType, number: 1)
      body += [UInt8].element(
        ElementID.video,
        [UInt8].element(ElementID.pixelWidth, number: width)
          + [UInt8].element(ElementID.pixelHeight, number: height))
    case .audio(let rate, let channels):
      body += [UInt8].element(ElementID.trackType, number: 2)
      body += [UInt8].element(
        ElementID.audio,
        [UInt8].element(ElementID.samplingFrequency, float: Double(rate))
          + [UInt8].element(ElementID.channels, number: channels))
    }
    return body
  }
}
