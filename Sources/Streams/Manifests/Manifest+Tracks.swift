import Blocks
import Markup

/// Makes track sources from a manifest's offers.
extension Manifest {
  /// Returns the source of a track. `chosen` has the track's offer in each period.
  func track(_ chosen: [Offer], _ contents: TrackContents) throws(StreamError) -> TrackSource {
    guard let first = chosen.first, let period = periods.first else {
      throw .malformed("a manifest without media")
    }
    var builder = ManifestTrack()
    if chosen.count == 1, let file = try builder.file(first, in: period) {
      return filled(file, first, contents)
    }
    for (offer, period) in zip(chosen, periods) { try builder.take(offer, in: period) }
    return filled(try builder.finish(), first, contents)
  }

  private func filled(
    _ track: TrackSource, _ offer: Offer, _ contents: TrackContents
  ) -> TrackSource {
    var track = track
    track.contents = contents
    track.container = StreamContainer(type: offer.type)
    track.codecs = offer.quality.codecs
    track.language = offer.facts.language
    track.title = offer.facts.title
    (track.width, track.height) = (offer.quality.width, offer.quality.height)
    track.bandwidth = offer.quality.bandwidth > 0 ? offer.quality.bandwidth : nil
    return track
  }
}

/// Collects the segments of one track, period by period.
private struct ManifestTrack {
  private var addresses = AddressTable(atMost: PlaylistLimits.addressBytes)
  private var initializations: [StreamPart] = []
  private var segments: [StreamSegment] = []
  private var sections: [StreamSection] = []
  private var oneMore: StreamSegment?
  private var hasNominalDurations = false

  /// Returns the track of an offer that is one file with an index of its own; nil for other offers.
  mutating func file(
    _ offer: Manifest.Offer, in period: Manifest.Period
  ) throws(StreamError) -> TrackSource? {
    let own = ManifestSegments(in: [period.element, offer.parent, offer.element])
    guard own == nil || own?.kind == .base else { return nil }
    var index: ByteRange?
    if let text = own?["indexrange"] { index = try ByteRangeText.inclusive(text) }
    var track = TrackSource(.both, division: .file(index: index, length: nil))
    _ = try addresses.place(of: offer.base)
    if let element = own?.child("initialization") {
      initializations.append(try part(element["sourceurl"], element["range"], in: offer))
    }
    track.addresses = addresses.addresses
    track.initializations = initializations
    return track
  }

  mutating func take(_ offer: Manifest.Offer, in period: Manifest.Period) throws(StreamError) {
    guard let own = ManifestSegments(in: [period.element, offer.parent, offer.element]) else {
      throw .unsupported("the stream is a row of whole files, which feedfs cannot join")
    }
    if own.isElsewhere {
      throw .unsupported("a part of the manifest is at another address, which feedfs does not read")
    }
    oneMore = nil
    let scale = try own.timescale
    let offset = try own.number("presentationtimeoffset") ?? 0
    guard let mediaStart = Duration(ticks: offset, scale: scale), mediaStart <= Clock.limit else {
      throw .tooLarge("presentationTimeOffset")
    }
    sections.append(StreamSection(start: period.start, mediaStart: mediaStart))
    let clock = Clock(scale: scale, offset: offset, period: period)
    switch own.kind {
    case .base: throw .unsupported("the stream is a row of whole files, which feedfs cannot join")
    case .list: try takeList(own, offer, clock)
    case .template: try takeTemplate(own, offer, clock)
    }
  }

  /// Converts the ticks of a period to times.
  struct Clock {
    let scale: Int
    /// The tick at the beginning of the period.
    let offset: Int
    let period: Manifest.Period

    /// The limit for the time at `offset`: 136 years. No clock counts more. The sum of two such
    /// times in nanoseconds fits into an `Int`.
    static let limit: Duration = .seconds(1 << 32)

    /// Returns the time from the beginning of the stream to a tick.
    func place(of tick: Int) throws(StreamError) -> Duration {
      guard let time = Duration(ticks: tick - offset, scale: scale), time <= PlaylistLimits.duration
      else { throw .tooLarge("time of a segment") }
      return period.start + time
    }

    func duration(of ticks: Int) throws(StreamError) -> Duration {
      guard let time = Duration(ticks: ticks, scale: scale), time <= PlaylistLimits.duration else {
        throw .tooLarge("duration of a segment")
      }
      return time
    }

    /// The tick at the end of the period; nil if the end is not known.
    var end: Int? {
      guard let duration = period.duration else { return nil }
      let (seconds, attoseconds) = duration.components
      let whole = Int(seconds).multipliedReportingOverflow(by: scale)
      // The result is rounded, since a duration in decimals is seldom a whole number of ticks.
      let part = (Double(attoseconds) / 1e18 * Double(scale)).rounded()
      guard !whole.overflow, part < 1e15, whole.partialValue < 1 << 60 else { return nil }
      return whole.partialValue + Int(part) + offset
    }
  }

  // MARK: SegmentTemplate

  private mutating func takeTemplate(
    _ own: ManifestSegments, _ offer: Manifest.Offer, _ clock: Clock
  ) throws(StreamError) {
    func template(_ text: String) throws(StreamError) -> TemplateText {
      try TemplateText(
        text, representation: offer.identifier, bandwidth: offer.quality.bandwidth)
    }
    guard let text = own["media"] else { throw .malformed("a template without media") }
    let media = try template(text)
    var initialization: Int?
    if let text = own["initialization"] {
      let reference = try template(text).text(number: 0, time: 0)
      initialization = try place(ofInitialization: part(reference, nil, in: offer))
    } else if let element = own.child("initialization") {
      initialization = try place(
        ofInitialization: part(element["sourceurl"], element["range"], in: offer))
    }
    let first = try own.number("startnumber") ?? 1
    func add(_ number: Int, _ tick: Int, _ ticks: Int) throws(StreamError) -> StreamSegment {
      var segment = StreamSegment(
        try part(media.text(number: number, time: tick), nil, in: offer),
        start: try clock.place(of: tick), duration: try clock.duration(of: ticks),
        initialization: initialization)
      segment.section = sections.count - 1
      return segment
    }
    if let element = own.child("segmenttimeline") {
      let timeline = try SegmentTimeline(element, end: clock.end)
      for (place, entry) in timeline.entries.enumerated() {
        try append(add(first + place, entry.time, entry.duration))
      }
      return
    }
    let step = try own.number("duration") ?? 0
    guard step > 0 else { throw .malformed("a template without durations") }
    guard step <= 1 << 42 else { throw .tooLarge("duration of a segment") }
    let count = try Self.count(own, clock, first: first, step: step)
    for place in 0..<count {
      let tick = place * step
      let rest = (clock.end ?? .max) - clock.offset - tick
      // Without a timeline, ticks count from the beginning of the period (ISO 23009-1 §5.3.9.5.3).
      // `Clock` subtracts the offset, so it is added here.
      try append(add(first + place, tick + clock.offset, rest > 0 ? min(step, rest) : step))
    }
    hasNominalDurations = true
    if own["endnumber"] == nil, media.isNumbered {
      oneMore = try add(first + count, count * step + clock.offset, step)
    }
  }

  /// Returns how many segments with the nominal duration `step` a period has.
  private static func count(
    _ own: ManifestSegments, _ clock: Clock, first: Int, step: Int
  ) throws(StreamError) -> Int {
    let count: Int
    if let last = try own.number("endnumber") {
      guard last >= first else { throw .malformed("endNumber of a template") }
      count = last - first + 1
    } else if let end = clock.end {
      // A tiny remainder comes from rounded decimals, so it is not counted as a segment.
      let ticks = end - clock.offset
      count = ticks / step + (ticks % step > min(step / 1000, clock.scale / 1000) ? 1 : 0)
    } else {
      throw .malformed("a template without an end")
    }
    guard count <= PlaylistLimits.segments else { throw .tooLarge("segments") }
    return count
  }

  // MARK: SegmentList

  private mutating func takeList(
    _ own: ManifestSegments, _ offer: Manifest.Offer, _ clock: Clock
  ) throws(StreamError) {
    var initialization: Int?
    if let element = own.child("initialization") {
      initialization = try place(
        ofInitialization: part(element["sourceurl"], element["range"], in: offer))
    }
    let rows = own.addresses
    guard rows.count <= PlaylistLimits.segments else { throw .tooLarge("segments") }
    let timeline = try own.child("segmenttimeline").map { element throws(StreamError) in
      try SegmentTimeline(element, end: clock.end)
    }
    let step = try own.number("duration")
    if timeline == nil { hasNominalDurations = true }
    var tick = clock.offset
    for (place, row) in rows.enumerated() {
      let entry = timeline.flatMap { place < $0.entries.count ? $0.entries[place] : nil }
      // A list of one segment needs no duration: the segment fills the period.
      let rest = clock.end.map { max(0, $0 - tick) }
      guard let ticks = entry?.duration ?? step ?? rest else {
        throw .malformed("a list without durations")
      }
      tick = entry?.time ?? tick
      var segment = StreamSegment(
        try part(row["media"], row["mediarange"], in: offer), start: try clock.place(of: tick),
        duration: try clock.duration(of: ticks), initialization: initialization)
      segment.section = sections.count - 1
      try append(segment)
      let (sum, isOver) = tick.addingReportingOverflow(ticks)
      guard !isOver else { throw .tooLarge("time of a segment") }
      tick = sum
    }
  }

  // MARK: Parts

  private mutating func append(_ segment: StreamSegment) throws(StreamError) {
    guard segments.count < PlaylistLimits.segments else { throw .tooLarge("segments") }
    guard !DataAddress.isOne(addresses.addresses[segment.part.address]) else {
      throw DataAddress.obstacle
    }
    segments.append(segment)
  }

  private mutating func part(
    _ reference: String?, _ range: String?, in offer: Manifest.Offer
  ) throws(StreamError) -> StreamPart {
    let address = try reference.map { text throws(StreamError) in
      try PlaylistAddress.resolve(text, base: offer.base)
    }
    var part = StreamPart(address: try addresses.place(of: address ?? offer.base))
    if let range { part.bytes = try ByteRangeText.inclusive(range) }
    return part
  }

  private mutating func place(ofInitialization part: StreamPart) -> Int {
    if let known = initializations.firstIndex(of: part) { return known }
    initializations.append(part)
    return initializations.count - 1
  }

  func finish() throws(StreamError) -> TrackSource {
    guard !segments.isEmpty else { throw .malformed("a manifest without segments") }
    var track = TrackSource(.both, division: .segments(segments))
    track.addresses = addresses.addresses
    track.initializations = initializations
    track.sections = sections
    track.hasNominalDurations = hasNominalDurations
    track.oneMore = oneMore
    return track
  }
}
