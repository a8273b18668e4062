/// The tracks that are chosen from a master playlist.
package struct PlaylistChoice: Hashable, Sendable {
  /// The address of the picture's media playlist; or of the sound's media playlist, if only sound
  /// is played.
  package let picture: String
  /// The address of the sound's media playlist; nil if the sound is in the segments of `picture`.
  package let sound: String?
  /// The subtitles. Their playlists were not read yet.
  package let texts: [TextSource]
  /// The name of the choice: `StreamSource.choice`.
  package let name: String
  /// The reason for the choice, in words for the user.
  package let reason: String

  private let quality: StreamQuality
  private let soundFacts: SoundFacts?

  /// Chooses the best variant up to the user's height, and its sound by language, or else the
  /// default.
  ///
  /// - Throws: `unsupported` if no file can be made of any variant.
  package init(_ master: MasterPlaylist, _ wishes: StreamWishes) throws(StreamError) {
    let usable = try Self.usable(master, wishes)
    guard let best = StreamQuality.best(of: usable.map(\.quality), for: wishes) else {
      throw .malformed("a master playlist without variants")
    }
    let variant = usable[best]
    let sounds = master.sounds.filter { $0.group == variant.sounds }
    let chosen = SoundFacts.ranked(sounds.map(\.facts), for: wishes).first.map { sounds[$0] }
    // A variant without picture repeats one sound of its group, which need not be the best. So the
    // best sound of the group is chosen instead.
    let isSoundAlone = wishes.soundOnly || variant.quality.hasPicture == false
    if isSoundAlone, let address = chosen?.address {
      (picture, sound) = (address, nil)
    } else {
      (picture, sound) = (variant.address, chosen?.address)
    }
    texts = Self.texts(of: variant, in: master, wishes)
    quality = variant.quality
    soundFacts = chosen?.facts
    name = quality.name + (chosen.map { "/" + ($0.facts.language ?? $0.facts.title ?? "") } ?? "")
    let count = Set(master.variants.map(\.quality)).count
    let first = "\(quality.words)" + (count > 1 ? " of \(count) variants" : "")
    reason =
      chosen.map { "\(first); sound: \($0.facts.words(for: wishes, of: sounds.count))" } ?? first
  }

  private static func usable(
    _ master: MasterPlaylist, _ wishes: StreamWishes
  ) throws(StreamError) -> [MasterPlaylist.Variant] {
    let playable = master.variants.filter { $0.quality.unplayable.isEmpty }
    guard !playable.isEmpty else {
      let names = Set(master.variants.flatMap(\.quality.unplayable)).sorted().prefix(4)
      throw .unsupported(
        "feedfs cannot make a file of this codec: \(names.joined(separator: ", "))")
    }
    if wishes.soundOnly {
      let alone = playable.filter { $0.quality.hasPicture == false }
      return alone.isEmpty ? playable : alone
    }
    let sounding = playable.filter { !isSilent($0, master) && $0.quality.hasPicture != false }
    return sounding.isEmpty ? playable : sounding
  }

  /// Whether a variant has no sound: it names its codecs, none of them is for sound, and its group
  /// of sounds is empty.
  private static func isSilent(
    _ variant: MasterPlaylist.Variant, _ master: MasterPlaylist
  ) -> Bool {
    let codecs = variant.quality.codecs
    return !codecs.isEmpty && !codecs.contains { StreamCodec($0).kind == .sound }
      && !master.sounds.contains { $0.group == variant.sounds }
  }

  private static func texts(
    of variant: MasterPlaylist.Variant, in master: MasterPlaylist, _ wishes: StreamWishes
  ) -> [TextSource] {
    let group = master.texts.filter { $0.group == variant.texts && $0.address != nil }
    let ranked = SoundFacts.ranked(group.map(\.facts), for: wishes).map { group[$0] }
    return ranked.prefix(PlaylistLimits.texts).compactMap { rendition in
      guard let address = rendition.address else { return nil }
      var text = TextSource(format: .webVTT, place: .playlist(address))
      text.language = rendition.facts.language
      text.title = rendition.facts.title
      text.isForced = rendition.isForced
      return text
    }
  }

  /// Makes the stream from the playlists at the chosen addresses.
  package func source(picture: MediaPlaylist, sound: MediaPlaylist?) -> StreamSource {
    var first = picture.track
    first.codecs = quality.codecs
    (first.width, first.height) = (quality.width, quality.height)
    first.bandwidth = quality.bandwidth > 0 ? quality.bandwidth : nil
    first.contents = sound == nil ? .both : .picture
    var tracks = [first]
    if var second = sound?.track {
      second.contents = .sound
      second.codecs = quality.codecs.filter { StreamCodec($0).kind == .sound }
      second.language = soundFacts?.language
      second.title = soundFacts?.title
      tracks.append(second)
    } else {
      tracks[0].language = soundFacts?.language
    }
    var source = StreamSource(tracks: tracks, reason: reason, choice: name)
    source.texts = texts
    source.chapters = picture.chapters
    source.duration = tracks.compactMap(\.end).max()
    return source
  }
}

extension StreamSource {
  /// Makes a stream from a playlist of the picture and a playlist of the sound, without a master
  /// playlist.
  package init(picture: MediaPlaylist, sound: MediaPlaylist) {
    var tracks = [picture.track, sound.track]
    tracks[0].contents = .picture
    tracks[1].contents = .sound
    self.init(tracks: tracks, reason: "the resolver named both", choice: "pair")
    chapters = picture.chapters
    duration = tracks.compactMap(\.end).max()
  }

  /// Makes a stream from one media playlist, without a master playlist.
  package init(_ playlist: MediaPlaylist) {
    self.init(tracks: [playlist.track], reason: "the only form", choice: "")
    chapters = playlist.chapters
    duration = playlist.track.end
  }
}
