extension Manifest {
  /// Returns the stream with the best picture up to the user's height, its sound, and all
  /// subtitles.
  package func source(_ wishes: StreamWishes) throws(StreamError) -> StreamSource {
    let offers = periods[0].offers
    let pictures = try playable(offers.filter { $0.contents == .picture || $0.contents == .both })
    let sounds = try playable(offers.filter { $0.contents == .sound })
    if pictures.isEmpty, !wishes.soundOnly { try refuse([.picture, .both]) }
    var tracks: [TrackSource] = []
    var names: [String] = []
    var reasons: [String] = []
    var needsSound = true
    if !wishes.soundOnly || sounds.isEmpty,
      let best = StreamQuality.best(of: pictures.map(\.quality), for: wishes)
    {
      let picture = pictures[best]
      needsSound = picture.contents == .picture
      let contents: TrackContents = needsSound ? .picture : .both
      tracks.append(try track(inAllPeriods(picture), contents))
      names.append(picture.quality.name)
      let count = pictures.count
      reasons.append(picture.quality.words + (count > 1 ? " of \(count) representations" : ""))
    }
    if needsSound, sounds.isEmpty { try refuse([.sound, .both]) }
    if needsSound, let sound = chosen(sounds, wishes) {
      tracks.append(try track(inAllPeriods(sound.offer), .sound))
      names.append(sound.offer.quality.name)
      reasons.append("sound: \(sound.reason)")
    }
    guard !tracks.isEmpty else { throw .unsupported("the stream has neither picture nor sound") }
    var source = StreamSource(
      tracks: tracks, reason: reasons.joined(separator: "; "),
      choice: names.joined(separator: "/"))
    source.duration = duration ?? tracks.compactMap(\.end).max()
    source.texts = texts(wishes)
    let left = source.texts.compactMap(\.obstacle)
    if !left.isEmpty {
      source.reason += "; without subtitles in " + Set(left).sorted().joined(separator: ", ")
    }
    return source
  }

  /// Throws if all offers of one of these kinds are protected, since the stream would be incomplete
  /// without them.
  private func refuse(_ kinds: [Contents]) throws(StreamError) {
    for kind in kinds {
      if let reason = periods[0].protected[kind] { throw .unsupported(reason) }
    }
  }

  private func playable(_ offers: [Offer]) throws(StreamError) -> [Offer] {
    let playable = offers.filter { $0.quality.unplayable.isEmpty }
    if playable.isEmpty, !offers.isEmpty {
      let names = Set(offers.flatMap(\.quality.unplayable)).sorted().prefix(4)
      throw .unsupported(
        "feedfs cannot make a file of this codec: \(names.joined(separator: ", "))")
    }
    return playable
  }

  /// Returns the best sound for the user, with the reason for the choice.
  private func chosen(_ sounds: [Offer], _ wishes: StreamWishes) -> (offer: Offer, reason: String)?
  {
    var sets: [Offer] = []
    for sound in sounds where !sets.contains(where: { $0.set == sound.set }) { sets.append(sound) }
    guard let place = SoundFacts.ranked(sets.map(\.facts), for: wishes).first else { return nil }
    // Packagers make an adaptation set for each codec. So the best sound is chosen from all sets of
    // equal rank, and not only from the first.
    let rank = sets[place].facts.rank(for: wishes)
    let equals = sounds.filter { $0.facts.rank(for: wishes) == rank }
    guard let best = StreamQuality.best(of: equals.map(\.quality), for: wishes) else { return nil }
    return (equals[best], equals[best].facts.words(for: wishes, of: sets.count))
  }

  /// Returns `offer`, which is in the first period, and the offers of the later periods that
  /// continue it.
  private func inAllPeriods(_ offer: Offer) throws(StreamError) -> [Offer] {
    var all = [offer]
    for period in periods.dropFirst() {
      let same = period.offers.filter {
        $0.contents == offer.contents && $0.quality.codecs == offer.quality.codecs
          && $0.quality.height == offer.quality.height && $0.facts.language == offer.facts.language
      }
      let next =
        same.first { $0.identifier == offer.identifier }
        ?? same.first { $0.quality.bandwidth == offer.quality.bandwidth } ?? same.first
      guard let next else {
        throw .unsupported(
          "the parts (periods) of the stream have different tracks, so feedfs cannot join them")
      }
      all.append(next)
    }
    return all
  }

  /// Returns the subtitles, the first Representation of each AdaptationSet. Subtitles that cannot
  /// be read are left out.
  private func texts(_ wishes: StreamWishes) -> [TextSource] {
    let offers = periods[0].offers.filter { $0.contents == .text }
    var sets: [Offer] = []
    for offer in offers where !sets.contains(where: { $0.set == offer.set }) { sets.append(offer) }
    let ranked = SoundFacts.ranked(sets.map(\.facts), for: wishes).map { sets[$0] }
    return ranked.prefix(PlaylistLimits.texts).compactMap { offer in
      guard let all = try? inAllPeriods(offer), let track = try? track(all, []) else { return nil }
      let isFile = all.count == 1 && track.segments.isEmpty
      let format = Self.format(of: offer)
      let place: TextSource.Place =
        isFile
        ? .file(offer.base)
        : .manifest(address.prefix { $0 != "#" } + "#" + Self.name(of: offer), track)
      var text = TextSource(format: format, place: place)
      text.language = offer.facts.language
      text.title = offer.facts.title
      text.isForced = offer.isForced
      return text
    }
  }

  /// Returns the name by which `text(named:)` finds subtitles in segments again.
  private static func name(of offer: Offer) -> String {
    "set-\(offer.set)"
  }

  /// Returns the segments of the subtitles with this name; nil if there are none. The name is the
  /// part after "#" in the address of `TextSource.Place.manifest`.
  package func text(named name: String) throws(StreamError) -> TrackSource? {
    let offer = periods[0].offers.first { $0.contents == .text && Self.name(of: $0) == name }
    return try offer.map { offer throws(StreamError) in try track(inAllPeriods(offer), []) }
  }

  private static func format(of offer: Offer) -> TextSource.Format {
    let codec = offer.quality.codecs.first ?? ""
    switch offer.type.lowercased() {
    case "text/vtt": return .webVTT
    case "application/ttml+xml": return .timedText
    case "application/x-subrip", "text/srt": return .subRip
    // "im1i" marks subtitles that are pictures. The codec then keeps its whole name, so that
    // `obstacle` refuses it.
    default: return .boxed(codec.hasSuffix("im1i") ? codec : String(codec.prefix { $0 != "." }))
    }
  }
}

extension TextSource {
  /// The name of the format, if no text file can be made of the subtitles; otherwise nil.
  var obstacle: String? {
    switch (format, place) {
    case (.boxed("wvtt"), _), (.boxed("stpp"), _), (.webVTT, _), (.timedText, _), (.subRip, .file):
      nil
    case (.boxed(let name), _): name.isEmpty ? "an unknown format" : name
    case (.subRip, _): "SubRip in segments"
    }
  }
}
