/// Writes everything that comes before the first slot of a Matroska file.
///
/// ```
/// EBML
/// Segment
///   SeekHead   positions of Info, Tracks, Cues (and Chapters), in eight bytes each
///   Info       the unit of times (milliseconds), and the duration
///   Tracks
///   Chapters   if there are any
///   Cues       a point for each slot that begins with a key picture: its time, and the position of
///              the slot to read from to get all tracks, in eight bytes
///   slots      clusters, and Void elements
/// ```
///
/// Times and positions have fixed widths, so the size of the head does not depend on their values.
package struct MatroskaHead {
  package struct Cue {
    /// The presentation time of the key picture, in milliseconds.
    package let time: Int
    package let track: Int
    /// The slot that the cue points to.
    package let slot: Int
    /// Whether `slot` is not the slot of the picture at `time`, but an earlier slot.
    package var leadsElsewhere = false
  }

  package let bytes: [UInt8]

  /// - Parameters:
  ///   - entries: the TrackEntry element of each track.
  ///   - duration: the duration of the file in nanoseconds.
  ///   - slots: the size of each slot in bytes, in order.
  package init(
    entries: [[UInt8]], duration: Int, chapters: [StreamChapter], cues: [Cue], slots: [Int]
  ) throws(StreamError) {
    let info = Self.info(duration: duration)
    let tracks = [UInt8].element(ElementID.tracks, Array(entries.joined()))
    let chapters = chapters.isEmpty ? [] : Self.chapters(chapters)
    let cuesSize = try Self.cues(cues, starts: [Int](repeating: 0, count: slots.count)).count

    var parts: [(id: UInt32, size: Int)] = [
      (ElementID.info, info.count), (ElementID.tracks, tracks.count),
    ]
    if !chapters.isEmpty { parts.append((ElementID.chapters, chapters.count)) }
    parts.append((ElementID.cues, cuesSize))

    // Positions count from the first byte after the Segment's header.
    var place = Self.seekHead(parts.map { ($0.id, 0) }).count
    var places: [(UInt32, Int)] = []
    for part in parts {
      places.append((part.id, place))
      place += part.size
    }
    var starts: [Int] = []
    for slot in slots {
      starts.append(place)
      place = try MediaTime.sum(place, slot)
    }
    guard place < 1 << 55 else { throw .tooLarge("file") }
    bytes =
      Self.ebml + [UInt8].header(ElementID.segment, size: place) + Self.seekHead(places) + info
      + tracks + chapters + (try Self.cues(cues, starts: starts))
  }

  private static let ebml: [UInt8] =
    [0x1A, 0x45, 0xDF, 0xA3, 0xA3, 0x42, 0x86, 0x81, 1, 0x42, 0xF7, 0x81, 1, 0x42, 0xF2, 0x81, 4]
    + [0x42, 0xF3, 0x81, 8] + [UInt8].element(ElementID.docType, text: "matroska")
    + [0x42, 0x87, 0x81, 4, 0x42, 0x85, 0x81, 2]

  private static func info(duration: Int) -> [UInt8] {
    let milliseconds = Double(duration) / Double(MediaTime.millisecond)
    var body = [UInt8].element(ElementID.timestampScale, number: MediaTime.millisecond)
    body += [UInt8].element(ElementID.duration, float: milliseconds)
    body += [UInt8].element(ElementID.muxingApp, text: "feedfs")
    body += [UInt8].element(ElementID.writingApp, text: "feedfs")
    return [UInt8].element(ElementID.info, body)
  }

  private static func seekHead(_ places: [(id: UInt32, place: Int)]) -> [UInt8] {
    var body: [UInt8] = []
    for (id, place) in places {
      body += [UInt8].element(
        ElementID.seek,
        [UInt8].element(ElementID.seekID, [UInt8].name(id))
          + [UInt8].element(ElementID.seekPosition, number: place, width: 8))
    }
    return [UInt8].element(ElementID.seekHead, body)
  }

  private static func cues(_ cues: [Cue], starts: [Int]) throws(StreamError) -> [UInt8] {
    var body: [UInt8] = []
    for cue in cues {
      guard cue.time >= 0, cue.time <= Int(UInt32.max) else { throw .tooLarge("time") }
      let place =
        [UInt8].element(ElementID.cueTrack, number: cue.track)
        + [UInt8].element(ElementID.cueClusterPosition, number: starts[cue.slot], width: 8)
      body += [UInt8].element(
        ElementID.cuePoint,
        [UInt8].element(ElementID.cueTime, number: cue.time, width: 4)
          + [UInt8].element(ElementID.cueTrackPositions, place))
    }
    return [UInt8].element(ElementID.cues, body)
  }

  private static func chapters(_ chapters: [StreamChapter]) -> [UInt8] {
    var body: [UInt8] = []
    for (number, chapter) in chapters.enumerated() {
      let display =
        [UInt8].element(ElementID.chapterText, text: chapter.title)
        + [UInt8].element(ElementID.chapterLanguage, text: "und")
      body += [UInt8].element(
        ElementID.chapter,
        [UInt8].element(ElementID.chapterUID, number: number + 1)
          + [UInt8].element(ElementID.chapterStart, number: max(0, chapter.start))
          + [UInt8].element(ElementID.chapterDisplay, display))
    }
    return [UInt8].element(ElementID.chapters, [UInt8].element(ElementID.edition, body))
  }
}
