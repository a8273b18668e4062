@testable import Streams

/// Writes a small WebM file.
enum TestWebM {
  /// - Parameters:
  ///   - times: those of the clusters.
  ///   - cueTimes: the times that the Cues have for the clusters.
  ///   - delay: that of the codec, in nanoseconds.
  static func film(
    hasCuesInFront: Bool = true, duration: Double = 400, times: [Int] = [0, 200],
    cueTimes: [Int] = [0, 200], delay: Int = 0
  ) -> [UInt8] {
    let info = [UInt8].element(
      ElementID.info,
      [UInt8].element(ElementID.timestampScale, number: 1_000_000)
        + [UInt8].element(ElementID.duration, float: duration))
    let tracks = [UInt8].element(
      ElementID.tracks,
      [UInt8].element(
        ElementID.trackEntry,
        [UInt8].element(ElementID.trackNumber, number: 1)
          + [UInt8].element(ElementID.trackUID, number: 77)
          + [UInt8].element(ElementID.trackType, number: 2)
          + [UInt8].element(ElementID.codecID, text: "A_OPUS")
          + (delay > 0 ? [UInt8].element(ElementID.codecDelay, number: delay) : [])))
    let clusters = times.map { time in
      [UInt8].element(
        ElementID.cluster,
        [UInt8].element(ElementID.timestamp, number: time)
          + [UInt8].element(ElementID.simpleBlock, [0x81, 0, 0, 0x80, 1, 2, 3])
          + [UInt8].element(ElementID.simpleBlock, [0x81, 0, 20, 0x80, 4, 5]))
    }
    func cues(_ first: Int) -> [UInt8] {
      [UInt8].element(
        ElementID.cues,
        Array(
          [(cueTimes[0], first), (cueTimes[1], first + clusters[0].count)].map { time, place in
            [UInt8].element(
              ElementID.cuePoint,
              [UInt8].element(ElementID.cueTime, number: time)
                + [UInt8].element(
                  ElementID.cueTrackPositions,
                  [UInt8].element(ElementID.cueTrack, number: 1)
                    + [UInt8].element(ElementID.cueClusterPosition, number: place, width: 8)))
          }.joined()))
    }
    func seek(_ place: Int) -> [UInt8] {
      [UInt8].element(
        ElementID.seekHead,
        [UInt8].element(
          ElementID.seek,
          [UInt8].element(ElementID.seekID, [UInt8].name(ElementID.cues))
            + [UInt8].element(ElementID.seekPosition, number: place, width: 8)))
    }
    let media = Array(clusters.joined())
    let body: [UInt8]
    if hasCuesInFront {
      let front = info.count + tracks.count + cues(0).count
      body = info + tracks + cues(front) + media
    } else {
      let front = seek(0).count + info.count + tracks.count
      body = seek(front + media.count) + info + tracks + media + cues(front)
    }
    return [UInt8].element(ElementID.ebml, [UInt8].element(ElementID.docType, text: "webm"))
      + [UInt8].header(ElementID.segment, size: body.count) + body
  }

  /// A head, and a cluster that is a segment of its own.
  static let parts: (head: [UInt8], cluster: [UInt8]) = {
    let film = Self.film()
    let name = [UInt8].name(ElementID.cluster)
    let places = film.indices.filter { film[$0...].starts(with: name) }
    return (Array(film[..<places[0]]), Array(film[places[0]..<places[1]]))
  }()
}
