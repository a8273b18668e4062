/// Makes the index of a strand that is one WebM file.
enum WebMFile {
  /// Returns the index; nil if `known` lacks bytes for it. Then `known.missing` tells which are
  /// needed.
  static func index(_ known: inout KnownBytes) throws(StreamError) -> StrandIndex? {
    guard let segment = try segment(&known), var front = try Front(segment, &known) else {
      return nil
    }
    guard let info = front.info, let tracks = front.tracks else {
      throw .unsupported("the WebM file does not begin with its head")
    }
    let head = try WebMHead(info: info, tracks: tracks)
    if front.cues == nil {
      guard let place = front.cuesPlace else {
        throw .unsupported("the WebM file has no index (Cues)")
      }
      guard let (element, _) = try element(at: place, end: segment.upperBound, &known) else {
        return nil
      }
      guard element.id == ElementID.cues else { throw .malformed("SeekHead") }
      front.cues = element
    }
    guard let cues = front.cues else { return nil }
    let initialisation = Array(info.body) + Array(tracks.body)
    return try index(
      head, try WebMCues(cues), segment, front, initialisation: initialisation)
  }

  /// Reads the head of a strand whose clusters are in a list of segments.
  ///
  /// - Returns: the head, and the bytes that describe the tracks.
  static func head(of bytes: [UInt8]) throws(StreamError) -> (WebMHead, [UInt8]) {
    var known = KnownBytes(length: bytes.count)
    known.take(bytes[...], at: 0)
    guard let segment = try segment(&known), let front = try Front(segment, &known),
      let info = front.info, let tracks = front.tracks
    else { throw .truncated("WebM head") }
    let initialisation = Array(info.body) + Array(tracks.body)
    return (try WebMHead(info: info, tracks: tracks), initialisation)
  }

  private static func index(
    _ head: WebMHead, _ cues: WebMCues, _ segment: Range<Int>, _ front: Front,
    initialisation: [UInt8]
  ) throws(StreamError) -> StrandIndex {
    let points = cues.points
    guard let first = points.first, let last = points.last, let media = front.media else {
      throw .malformed("Cues")
    }
    var starts: [Int] = []
    for point in points { starts.append(try MediaTime.sum(segment.lowerBound, point.position)) }
    // If the Cues come after the last cluster, the cluster ends where they begin.
    var end = segment.upperBound
    if let place = front.cuesPlace, place > starts[starts.count - 1] { end = min(end, place) }
    guard starts[0] >= media, starts[starts.count - 1] < end else { throw .malformed("Cues") }
    starts[0] = media
    starts.append(end)
    // Points are in the order of their positions, so an earlier point can have a later time.
    guard points.allSatisfy({ $0.time < 1 << 42 }) else { throw .tooLarge("time") }
    let length = head.duration ?? 0
    let final = max(length, last.time * MediaTime.millisecond)
    var fragments: [StrandIndex.Fragment] = []
    for (number, point) in points.enumerated() {
      let start = point.time * MediaTime.millisecond
      let next =
        number + 1 < points.count ? points[number + 1].time * MediaTime.millisecond : final
      fragments.append(
        .init(
          bytes: starts[number]..<starts[number + 1], start: start,
          duration: max(0, next - start)))
    }
    var tracks: [StrandIndex.Track] = []
    for track in head.tracks {
      guard let description = track.description else { continue }
      tracks.append(
        .init(
          source: track.number, description: description, entry: track.entry,
          earliest: first.time * MediaTime.millisecond))
    }
    guard !tracks.isEmpty else { throw .unsupported("the stream has neither picture nor sound") }
    return StrandIndex(
      format: .webm, initialisation: initialisation, tracks: tracks,
      isAll: tracks.count == head.tracks.count, fragments: fragments, end: final)
  }

  /// Returns the range of the Segment's content; nil if `known` lacks bytes before it.
  private static func segment(_ known: inout KnownBytes) throws(StreamError) -> Range<Int>? {
    var place = 0
    for id in [ElementID.ebml, ElementID.segment] {
      guard let header = try header(at: place, end: known.length, &known) else { return nil }
      guard header.id == id else { throw .malformed("EBML") }
      place = try MediaTime.sum(place, header.headerSize)
      guard place < known.length else { throw .truncated("EBML") }
      if id == ElementID.segment {
        // The Segment of a recording that was cut off, or written to a pipe, has no size.
        return place..<min(known.length, header.size.map { place + $0 } ?? known.length)
      }
      guard let size = header.size, size <= known.length - place else { throw .malformed("EBML") }
      place += size
    }
    return nil
  }

  private static func header(
    at place: Int, end: Int, _ known: inout KnownBytes
  ) throws(StreamError) -> ElementHeader? {
    guard place < end else { throw .truncated("element") }
    guard let bytes = known.read(place..<min(end, place + ElementHeader.maxBytes), ahead: 16 << 10)
    else { return nil }
    return try ElementHeader(bytes)
  }

  private static func element(
    at place: Int, end: Int, _ known: inout KnownBytes
  ) throws(StreamError) -> (Element, end: Int)? {
    guard let header = try header(at: place, end: end, &known) else { return nil }
    guard let size = header.size, size <= end - place - header.headerSize else {
      throw .truncated("element")
    }
    try StreamLimit.index.check(size)
    let start = place + header.headerSize
    guard let bytes = known.read(start..<start + size) else { return nil }
    return (Element(id: header.id, body: bytes, level: 1), start + size)
  }

  /// The elements before the first cluster.
  private struct Front {
    var info: Element?
    var tracks: Element?
    var cues: Element?
    var cuesPlace: Int?
    /// The offset of the first cluster.
    var media: Int?

    /// Reads these elements. Returns nil if `known` lacks bytes of them.
    init?(_ segment: Range<Int>, _ known: inout KnownBytes) throws(StreamError) {
      var place = segment.lowerBound
      var passed = 0
      while place < segment.upperBound {
        guard let header = try WebMFile.header(at: place, end: segment.upperBound, &known) else {
          return nil
        }
        if header.id == ElementID.cluster {
          media = place
          return
        }
        passed += 1
        try StreamLimit.boxes.check(passed)
        let wanted = [ElementID.info, ElementID.tracks, ElementID.cues, ElementID.seekHead]
        if wanted.contains(header.id) {
          guard
            let (element, end) = try WebMFile.element(at: place, end: segment.upperBound, &known)
          else { return nil }
          try take(element, at: place, segment)
          place = end
        } else {
          guard let size = header.size, size <= segment.upperBound - place - header.headerSize
          else { throw .malformed("element") }
          place += header.headerSize + size
        }
      }
    }

    private mutating func take(
      _ element: Element, at place: Int, _ segment: Range<Int>
    ) throws(StreamError) {
      switch element.id {
      case ElementID.info: info = element
      case ElementID.tracks: tracks = element
      case ElementID.cues:
        cues = element
        cuesPlace = place
      default:
        for seek in try element.children where seek.id == ElementID.seek {
          guard let id = try seek.first(ElementID.seekID)?.number, id == ElementID.cues,
            let position = try seek.first(ElementID.seekPosition)?.number
          else { continue }
          let place = try MediaTime.sum(segment.lowerBound, position)
          if cuesPlace == nil { cuesPlace = place }
        }
      }
    }
  }
}
