/// One format in which a resolver offers the media of a web page.
package struct OfferedFormat: Hashable, Codable, Sendable {
  /// The way in which the format's bytes are fetched.
  package enum Transport: Hashable, Codable, Sendable {
    /// One file, read by ranges.
    case file
    /// An HLS playlist or a DASH manifest.
    case playlist
    /// Segments at addresses of their own, as a DASH manifest has them.
    case segments([Segment])
    /// The name of another way, which feedfs does not know.
    case other(String)
  }

  /// A segment. Duration and length, in bytes, are nil if the resolver does not know them.
  package struct Segment: Hashable, Codable, Sendable {
    package var address: String
    package var duration: Duration?
    package var length: Int?

    package init(address: String, duration: Duration? = nil, length: Int? = nil) {
      self.address = address
      self.duration = duration
      self.length = length
    }
  }

  /// The resolver's knowledge of the picture or the sound of a format.
  package enum Track: Hashable, Codable, Sendable {
    case unknown, missing
    case codec(String)

    var codec: String? {
      if case .codec(let name) = self { name } else { nil }
    }
  }

  /// The resolver's name of the format.
  package var name: String
  package var address: String
  /// The address of the master playlist or manifest that lists the format.
  package var manifest: String?
  package var transport: Transport = .file
  package var picture: Track = .unknown
  package var sound: Track = .unknown
  package var width: Int?
  package var height: Int?
  /// Bits per second.
  package var bandwidth = 0
  package var language: String?
  /// The resolver's preference for the language; the original language has the greatest number.
  package var languageRank = 0
  package var isHighRange = false
  /// The exact length of the file in bytes, if it is known.
  package var length: Int?
  package var headers: [String: String] = [:]
  /// The time before which requests fail, in seconds since 1970; nil if requests can begin at once.
  package var begins: Int?
  package var isProtected = false
  /// The resolver's word for the container: "mp4_dash", "webm".
  package var container: String?

  package init(name: String, address: String) {
    self.name = name
    self.address = address
  }

  var quality: StreamQuality {
    var quality = StreamQuality()
    quality.codecs = [picture.codec, sound.codec].compactMap(\.self)
    (quality.width, quality.height) = (width, picture == .missing ? nil : height)
    quality.bandwidth = bandwidth
    quality.isHighRange = isHighRange
    quality.name = name
    return quality
  }

  /// Returns the format as the source of a track.
  ///
  /// - Throws: `tooLarge` for more segments than a track is allowed to have.
  func track(_ contents: TrackContents) throws(StreamError) -> TrackSource {
    var track = TrackSource(contents, division: .file(index: nil, length: length))
    track.addresses = [address]
    if case .segments(let segments) = transport { try divide(&track, segments) }
    track.container = StreamContainer(word: container ?? "")
    track.codecs = quality.codecs
    track.language = language
    (track.width, track.height) = (width, height)
    track.bandwidth = bandwidth > 0 ? bandwidth : nil
    track.headers = headers
    track.begins = begins
    return track
  }

  /// Turns the resolver's segments into segments of a track. If the first segment has no duration,
  /// it is the initialization.
  private func divide(_ track: inout TrackSource, _ all: [Segment]) throws(StreamError) {
    guard all.count <= PlaylistLimits.segments else { throw .tooLarge("segments") }
    var addresses = AddressTable(atMost: PlaylistLimits.addressBytes)
    var segments: [StreamSegment] = []
    var time: Duration = .zero
    for (number, segment) in all.enumerated() {
      let part = StreamPart(address: try addresses.place(of: segment.address))
      if number == 0, all.count > 1, segment.duration == nil {
        track.initializations = [part]
        continue
      }
      let duration = segment.duration ?? .zero
      segments.append(
        StreamSegment(
          part, start: time, duration: duration,
          initialization: track.initializations.isEmpty ? nil : 0))
      time += duration
      guard time <= PlaylistLimits.duration else { throw .tooLarge("duration") }
    }
    track.addresses = addresses.addresses
    track.division = .segments(segments)
    track.sections = [StreamSection(start: .zero)]
    track.hasNominalDurations = true
  }
}
