import Addresses

/// A media playlist of a stream that is not live: the segments of one track (RFC 8216 §4.3.3).
package struct MediaPlaylist: Hashable, Sendable {
  package let track: TrackSource
  package let chapters: [StreamChapter]

  /// Reads a playlist. `address` is its address after redirects.
  ///
  /// - Parameters:
  ///   - variables: the variables of the master playlist that lists this playlist.
  /// - Throws: `unfinished` while the playlist has no end; `unsupported` for encryption other than
  ///   AES-128 with the KEYFORMAT "identity".
  package init(
    _ bytes: [UInt8], at address: String, variables: PlaylistVariables = PlaylistVariables()
  ) throws(StreamError) {
    var reader = MediaPlaylistReader(at: address, master: variables)
    var lines = try PlaylistLines(bytes)
    while let line = try lines.next() { try reader.take(line) }
    track = try reader.finish()
    chapters = reader.chapters.chapters
  }
}

/// Reads the lines of a media playlist, one after the other.
private struct MediaPlaylistReader {
  private let address: String
  private let master: PlaylistVariables
  private var variables = PlaylistVariables()
  private(set) var chapters = DateRangeChapters()

  private var segments: [StreamSegment] = []
  private var sections: [StreamSection] = []
  private var initializations: [StreamPart] = []
  private var addresses = AddressTable(atMost: PlaylistLimits.addressBytes)
  private var keyAddresses = AddressTable(atMost: PlaylistLimits.addressBytes)
  /// The end of the last range in each resource, by the position of the resource's address. The
  /// next range in the resource begins there if it does not tell its start.
  private var ends: [Int: Int] = [:]

  private var keys = PlaylistKeys()
  private var initialization: Int?
  private var sequence = 0
  private var time: Duration = .zero
  private var isEnded = false
  private var isIFrames = false
  /// The duration of a segment whose own duration the playlist does not tell: that of the segment
  /// before, or EXT-X-TARGETDURATION at first.
  private var usual: Duration?
  /// True if the playlist has EXT-X-TARGETDURATION, which each stream must have (§4.3.3.1).
  private var hasTarget = false

  /// The facts that tags have told so far about the next segment: this and the next three
  /// properties.
  private var duration: Duration?
  private var range: String?
  private var isGap = false
  private var isDiscontinuous = false

  init(at address: String, master: PlaylistVariables) {
    self.address = address
    self.master = master
  }

  mutating func take(_ line: PlaylistLine) throws(StreamError) {
    switch line {
    case .tag(let name, let value): try take(name, value)
    case .address(let text): try takeSegment(variables.replaced(in: text))
    }
  }

  private mutating func take(_ name: String, _ value: String) throws(StreamError) {
    switch name {
    case "#EXTINF": try takeDuration(value)
    case "#EXT-X-BYTERANGE": range = value
    case "#EXT-X-GAP": isGap = true
    case "#EXT-X-DISCONTINUITY": isDiscontinuous = !segments.isEmpty
    case "#EXT-X-ENDLIST": isEnded = true
    // A playlist of the type VOD never changes, so it is complete (RFC 8216 §4.3.3.5).
    case "#EXT-X-PLAYLIST-TYPE": isEnded = isEnded || value.uppercased() == "VOD"
    case "#EXT-X-TARGETDURATION":
      hasTarget = true
      // Some packagers write a number that is none. Only segments without a duration need it.
      if usual == nil { usual = try? PlaylistNumber.duration(value) }
    case "#EXT-X-MEDIA-SEQUENCE": try takeSequence(value)
    case "#EXT-X-KEY": try keys.take(AttributeList(value, variables))
    case "#EXT-X-MAP": try takeMap(AttributeList(value, variables))
    case "#EXT-X-DEFINE": try variables.define(value, at: address, importing: master)
    case "#EXT-X-I-FRAMES-ONLY": isIFrames = true
    case "#EXT-X-PROGRAM-DATE-TIME": chapters.takeDate(value, at: time)
    case "#EXT-X-DATERANGE": chapters.take(try AttributeList(value, variables))
    case "#EXT-X-SKIP": throw .malformed("a playlist that has only changes (EXT-X-SKIP)")
    case "#EXT-X-STREAM-INF":
      throw .malformed("a master playlist where segments are expected")
    default: break
    }
  }

  private mutating func takeDuration(_ value: String) throws(StreamError) {
    duration = try PlaylistNumber.duration(value) ?? usual ?? .zero
  }

  private mutating func takeSequence(_ value: String) throws(StreamError) {
    guard let number = PlaylistNumber.whole(value), number <= Int.max - PlaylistLimits.segments
    else { throw .malformed("EXT-X-MEDIA-SEQUENCE") }
    sequence = number
  }

  private mutating func takeMap(_ list: AttributeList) throws(StreamError) {
    guard let reference = list["URI"] else { throw .malformed("EXT-X-MAP without URI") }
    let place = try addresses.place(of: resolved(reference))
    var part = StreamPart(address: place)
    // In EXT-X-MAP, a range without "@" begins at byte 0 (RFC 8216 §4.3.2.5).
    if let text = list["BYTERANGE"] { part.bytes = try ByteRangeText.range(text, from: 0) }
    part.key = try key(for: nil)
    // A playlist with advertisements names the stream's initialization again after each
    // advertisement.
    if let known = initializations.lastIndex(of: part) {
      initialization = known
      return
    }
    guard initializations.count < PlaylistLimits.keys else { throw .tooLarge("initializations") }
    initializations.append(part)
    initialization = initializations.count - 1
  }

  private mutating func takeSegment(_ reference: String) throws(StreamError) {
    guard let duration = duration ?? (mayBeSegment(reference) ? usual ?? .zero : nil) else {
      return
    }
    usual = duration
    guard segments.count < PlaylistLimits.segments else { throw .tooLarge("segments") }
    guard !DataAddress.isOne(reference) else { throw DataAddress.obstacle }
    let place = try addresses.place(of: resolved(reference))
    var part = StreamPart(address: place)
    if let range {
      let bytes = try ByteRangeText.range(range, from: ends[place] ?? 0)
      ends[place] = bytes.upperBound
      part.bytes = bytes
    }
    if !isGap { part.key = try key(for: sequence) }
    if sections.isEmpty || isDiscontinuous { sections.append(StreamSection(start: time)) }
    var segment = StreamSegment(
      part, start: time, duration: duration, initialization: initialization,
      section: sections.count - 1)
    segment.isGap = isGap
    segments.append(segment)
    time += duration
    guard time <= PlaylistLimits.duration else { throw .tooLarge("duration") }
    sequence += 1
    (self.duration, range, isGap, isDiscontinuous) = (nil, nil, false, false)
  }

  /// Whether a line without EXTINF is a segment all the same, whose duration was forgotten, and not
  /// a word that stands in the playlist by mistake: its name ends as that of the first segment.
  private func mayBeSegment(_ reference: String) -> Bool {
    guard let address = try? resolved(reference) else { return false }
    let known = segments.first.map { addresses.addresses[$0.part.address] }
    let ending = Self.ending(of: address)
    return !ending.isEmpty
      && known.map { Self.ending(of: $0) == ending }
        ?? (StreamContainer(address: address) != .unknown)
  }

  /// Returns the letters behind the last dot of an address's path; none if it has none.
  private static func ending(of address: String) -> Substring {
    let name = address.prefix { $0 != "?" && $0 != "#" }.split(separator: "/").last ?? ""
    return name.lastIndex(of: ".").map { name[$0...] } ?? ""
  }

  private mutating func key(for number: Int?) throws(StreamError) -> SegmentKey? {
    guard let key = try keys.key(for: number) else { return nil }
    let place = try keyAddresses.place(of: resolved(key.reference))
    guard place < PlaylistLimits.keys else { throw .tooLarge("keys") }
    return SegmentKey(address: place, vector: key.vector)
  }

  private func resolved(_ reference: String) throws(StreamError) -> String {
    try PlaylistAddress.resolve(reference, base: address)
  }

  func finish() throws(StreamError) -> TrackSource {
    if isIFrames {
      throw .unsupported("the playlist has only single pictures (I-FRAMES-ONLY), and no film")
    }
    guard isEnded else {
      guard hasTarget || segments.isEmpty else {
        throw .unsupported("the playlist is a list of channels or titles, and no stream")
      }
      throw .unfinished(StreamSource.live)
    }
    guard segments.contains(where: { !$0.isGap }) else {
      throw .malformed("a playlist without segments")
    }
    var track = TrackSource(.both, division: .segments(segments))
    track.sections = sections
    track.initializations = initializations
    track.addresses = addresses.addresses
    track.keys = keyAddresses.addresses
    track.container =
      initializations.isEmpty
      ? StreamContainer(address: track.addresses[segments[0].part.address]) : .mp4
    return track
  }
}

/// Resolves the references in playlists and manifests.
enum PlaylistAddress {
  static func resolve(_ reference: String, base: String) throws(StreamError) -> String {
    if DataAddress.isOne(reference) { return reference }
    do {
      return try WebAddress.resolve(reference, base: base)
    } catch {
      throw .unsupported("an address in the playlist \(error)")
    }
  }
}
