/// The formats of a web page that are chosen to become a file.
package enum OfferedChoice: Hashable, Sendable {
  /// The playlist at this address. Tracks are chosen from its own variants, which tell more than
  /// the resolver's formats.
  case playlist(address: String, headers: [String: String], begins: Int?)
  /// A playlist, or a fragmented MP4 file; the first bytes show which.
  case any(address: String)
  /// The playlists of a picture and of its sound, without a master playlist.
  case playlists(picture: String, sound: String, headers: [String: String])
  /// The tracks themselves: one format, or a format of the picture and a format of the sound.
  case source(StreamSource)

  /// Chooses the best picture up to the user's height, and a sound if the format of the picture has
  /// no sound.
  ///
  /// If pictures are equally good, a file with sound is preferred, then a file without sound, then
  /// segments, then a playlist.
  ///
  /// - Throws: `unsupported` with the reason, if no file can be made of any format.
  package init(_ formats: [OfferedFormat], _ wishes: StreamWishes) throws(StreamError) {
    let usable = formats.filter(Self.isUsable)
    let pictures = usable.filter { $0.picture != .missing }
    let sounds = usable.filter { $0.picture == .missing && $0.sound != .missing }
    let hasSound = { (format: OfferedFormat) in format.sound != .missing || !sounds.isEmpty }
    if !wishes.soundOnly,
      let picture = Self.best(of: pictures.filter(hasSound), wishes)
        ?? Self.best(of: pictures, wishes)
    {
      self = try Self.choice(picture, of: pictures.count, sounds, wishes)
    } else if !wishes.soundOnly, formats.contains(where: Self.isProtectedPicture) {
      // A picture is protected, no other picture is usable, and the user has not asked for sound
      // alone.
      throw Self.refusal(formats)
    } else if let sound = Self.sound(of: sounds, wishes) {
      self = try Self.alone(sound, contents: .sound, reason: "sound alone")
    } else {
      throw Self.refusal(formats)
    }
  }

  /// The time before which requests fail, in seconds since 1970; nil if requests can begin at once.
  package var begins: Int? {
    switch self {
    case .playlist(_, _, let begins): begins
    case .any, .playlists: nil
    case .source(let source): source.tracks.compactMap(\.begins).max()
    }
  }

  private static func isUsable(_ format: OfferedFormat) -> Bool {
    if case .other = format.transport { return false }
    if case .segments(let segments) = format.transport, segments.isEmpty { return false }
    return !format.isProtected && format.quality.unplayable.isEmpty
  }

  private static func isProtectedPicture(_ format: OfferedFormat) -> Bool {
    format.isProtected && (format.picture.codec != nil || format.height != nil)
  }

  private static func refusal(_ formats: [OfferedFormat]) -> StreamError {
    if formats.isEmpty { return .unsupported("the page offers no video") }
    if formats.contains(where: \.isProtected) {
      return .unsupported("the video is protected by DRM, so feedfs cannot read it")
    }
    let codecs = Set(formats.flatMap(\.quality.unplayable)).sorted().prefix(4)
    if !codecs.isEmpty {
      return .unsupported(
        "feedfs cannot make a file of this codec: \(codecs.joined(separator: ", "))")
    }
    let ways = Set(
      formats.compactMap { format -> String? in
        if case .other(let name) = format.transport { name } else { nil }
      })
    return .unsupported(
      "the video comes only in ways that feedfs cannot read: \(ways.sorted().prefix(4).joined(separator: ", "))"
    )
  }

  private static func best(of all: [OfferedFormat], _ wishes: StreamWishes) -> OfferedFormat? {
    // The bit rate decides last, after the way in which the bytes come.
    let ranks = all.map { format -> [Int] in
      var rank = format.quality.rank(for: wishes)
      rank.insert(place(format), at: max(0, rank.count - 1))
      return rank
    }
    let best = all.indices.max { one, other in
      ranks[one] == ranks[other] ? one > other : ranks[one].lexicographicallyPrecedes(ranks[other])
    }
    return best.map { all[$0] }
  }

  private static func place(_ format: OfferedFormat) -> Int {
    switch format.transport {
    case .file: format.sound == .missing ? 2 : 3
    case .segments: 1
    case .playlist, .other: 0
    }
  }

  private static func sound(of all: [OfferedFormat], _ wishes: StreamWishes) -> OfferedFormat? {
    let facts = all.map { format in
      var facts = SoundFacts(language: format.language, title: format.name)
      facts.quality = format.quality
      return facts
    }
    let ranks = zip(all, facts).map { format, facts -> [Int] in
      let quality = format.quality.rank(for: wishes)
      return facts.rank(for: wishes) + [format.languageRank] + quality.prefix(1) + [place(format)]
        + quality.suffix(2)
    }
    let best = all.indices.max { one, other in
      ranks[one] == ranks[other] ? one > other : ranks[one].lexicographicallyPrecedes(ranks[other])
    }
    return best.map { all[$0] }
  }

  private static func choice(
    _ picture: OfferedFormat, of count: Int, _ sounds: [OfferedFormat], _ wishes: StreamWishes
  ) throws(StreamError) -> OfferedChoice {
    var reason = picture.quality.words + (count > 1 ? " of \(count) forms" : "")
    if picture.transport == .playlist, picture.manifest == nil, picture.sound == .missing,
      let sound = sound(of: sounds.filter { $0.transport == .playlist }, wishes)
    {
      return .playlists(
        picture: picture.address, sound: sound.address, headers: picture.headers)
    }
    if picture.transport == .playlist || picture.sound != .missing {
      return try alone(picture, contents: .both, reason: reason)
    }
    guard let sound = sound(of: sounds.filter { $0.transport != .playlist }, wishes) else {
      // The sound is only in a playlist. The master playlist of this playlist has the picture too.
      if let other = sound(of: sounds, wishes) {
        return try alone(other, contents: .both, reason: reason)
      }
      return try alone(picture, contents: .picture, reason: reason + ", without sound")
    }
    reason += "; sound: \(sound.language ?? sound.name), \(sound.quality.words)"
    return .source(
      StreamSource(
        tracks: [try picture.track(.picture), try sound.track(.sound)], reason: reason,
        choice: "\(picture.name)/\(sound.name)"))
  }

  private static func alone(
    _ format: OfferedFormat, contents: TrackContents, reason: String
  ) throws(StreamError) -> OfferedChoice {
    if format.transport == .playlist {
      return .playlist(
        address: format.manifest ?? format.address, headers: format.headers, begins: format.begins)
    }
    return .source(
      StreamSource(tracks: [try format.track(contents)], reason: reason, choice: format.name))
  }
}
