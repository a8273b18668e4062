/// The candidates of an entry, ranked.
struct MediaRanking {
  /// The candidate to play; nil if there is none.
  let chosen: Candidate?
  /// All other candidates, best first.
  let others: [Candidate]
  /// The reason why no candidate was chosen; nil if one was.
  let omission: Omission?

  /// True when no candidate was chosen, and the best candidate is a page or a Flash player.
  var isOnlyPage: Bool {
    chosen == nil && others.first.map { [.flash, .page].contains($0.unplayable) } ?? false
  }

  /// Ranks `candidates`, which are in document order. Chooses sound alone only if `choice` allows
  /// it.
  ///
  /// - Parameter duration: the seconds that the entry lasts, if known.
  init(_ candidates: [Candidate], choice: MediaChoice, duration: Double? = nil) {
    let ranked = Self.sorted(candidates, choice, duration)
    guard let best = ranked.first, best.judgement.unplayable == nil,
      choice.audio || best.judgement.mediaClass != .audio
    else {
      chosen = nil
      others = ranked.map(\.candidate)
      omission = Self.omission(ranked)
      return
    }
    chosen = best.candidate
    others = ranked.dropFirst().map(\.candidate)
    omission = nil
  }

  /// Returns the candidates, best first. Equally good candidates keep their order.
  private static func sorted(
    _ candidates: [Candidate], _ choice: MediaChoice, _ duration: Double?
  ) -> [RankedCandidate] {
    // Nearly all entries have one candidate.
    if candidates.count < 2 { return candidates.map { RankedCandidate(alone: $0, choice) } }
    var labelled = candidates
    for place in labelled.indices where labelled[place].media.height == nil {
      guard let lines = labelled[place].labelledHeight else { continue }
      labelled[place].media.height = lines
    }
    let ranked = RankedCandidate.all(labelled, choice, duration: duration)
    let isInOrder = zip(ranked, ranked.dropFirst()).allSatisfy { $1.isBetter(than: $0) != true }
    if isInOrder { return ranked }
    let places = ranked.indices.sorted { one, other in
      ranked[one].isBetter(than: ranked[other]) ?? (one < other)
    }
    return places.map { ranked[$0] }
  }

  private static func omission(_ candidates: [RankedCandidate]) -> Omission {
    guard let best = candidates.first else { return .noMedia }
    let streams = candidates.filter {
      $0.judgement.unplayable == .stream && $0.candidate.media.isStream
    }
    let isFilm = streams.contains { other in
      let media = other.candidate.media
      return media.height != nil || media.type?.hasPrefix("video") == true
    }
    // The reason names the unplayable kind that comes nearest to media.
    let kinds = Set(candidates.compactMap(\.judgement.unplayable))
    if kinds.contains(.silent) { return .splitTracks }
    if best.judgement.unplayable == nil { return isFilm ? .soundOfStream : .audioOnly }
    if kinds.contains(.stream) { return streams.isEmpty ? .list : .stream }
    if kinds.contains(.torrent) { return .torrent }
    if kinds.contains(.flash) { return .flash }
    if kinds.contains(.page) { return .page }
    if kinds.contains(.other) { return .otherFile }
    return .image
  }
}

/// A candidate with the facts that decide about its rank.
struct RankedCandidate {
  /// The properties by which candidates are compared, the most important first.
  enum Criterion {
    case playable, mediaClass, whole, sound, onDemand
    /// Players read the whole of a fragmented MP4, so its playlist is better than the MP4 itself.
    case fragmented
    case excess, height
    /// A file is better than a stream. The user's order of formats is more important than this
    /// criterion.
    case plain
    case format, isDefault, enclosure, bitrate
  }

  let candidate: Candidate
  let judgement: Candidate.Judgement
  private let isMadeOnDemand: Bool
  private let isLikelySilent: Bool
  /// Whether this is a fragmented file, and the entry also has a stream that can be played.
  private let isFragmented: Bool
  private let isStream: Bool
  /// The height of the picture; nil if it is not known, and for sound.
  let height: PictureHeight?
  /// By how many lines the picture is higher than the user's limit; zero if it is not.
  let excess: Int
  /// The user's order of formats; nil for the standard one.
  private let prefer: [String]?

  /// Makes the only candidate of an entry. It is never compared, so the facts for comparisons are
  /// left out.
  init(alone candidate: Candidate, _ choice: MediaChoice) {
    self.candidate = candidate
    judgement = candidate.judgement(choice)
    (isMadeOnDemand, isLikelySilent, isFragmented, isStream) = (false, false, false, false)
    height = nil
    (excess, prefer) = (0, nil)
  }

  /// Makes all candidates of an entry, in the same order.
  ///
  /// - Parameter duration: the seconds that the entry lasts, if known.
  static func all(
    _ candidates: [Candidate], _ choice: MediaChoice, duration: Double?
  ) -> [RankedCandidate] {
    let tracks = SplitTracks(candidates.lazy.map(\.media.url))
    let judgements = candidates.map { $0.judgement(choice) }
    let hasStream = judgements.contains(where: \.isStream)
    let best = judgements.lazy.filter { $0.unplayable == nil }.map(\.mediaClass.rank).max()
    let contenders = judgements.indices.lazy.filter {
      judgements[$0].unplayable == nil && judgements[$0].mediaClass.rank == best
    }
    // To look for the height in addresses costs more than everything else here. It is needed only
    // if several candidates with a picture compete.
    let isContest = contenders.dropFirst().first != nil
    var heights = candidates.map { candidate in
      candidate.media.height.map { PictureHeight($0, by: .feed) }
    }
    if isContest, best != MediaClass.audio.rank {
      for place in contenders {
        heights[place] = PictureHeight(of: candidates[place].media, duration: duration)
      }
    }
    // Estimated heights are not used if the height of another file is unknown.
    let areComparable = contenders.allSatisfy { heights[$0] != nil || judgements[$0].isStream }
    if hasStream, !tracks.fragmented.isEmpty {
      let lines = Self.height(of: tracks.fragmented, choice)
      for place in judgements.indices where judgements[place].isStream && heights[place] == nil {
        heights[place] = lines
      }
    }
    return candidates.indices.map { place in
      let isEstimate = heights[place]?.source == .bitrate || heights[place]?.source == .size
      return RankedCandidate(
        candidates[place], judgements[place], choice,
        isEstimate && !areComparable ? nil : heights[place], tracks, hasStream: hasStream)
    }
  }

  /// Returns the height of the picture that a playlist of these fragmented files gives: the
  /// greatest up to the user's limit, or else the smallest.
  private static func height(of files: Set<String>, _ choice: MediaChoice) -> PictureHeight? {
    let all = files.compactMap { PictureHeight(of: Media(url: $0), duration: nil)?.lines }
    let wanted = all.filter { $0 <= choice.maxHeight ?? .max }
    return (wanted.max() ?? all.min()).map { PictureHeight($0, by: .feed) }
  }

  private init(
    _ candidate: Candidate, _ own: Candidate.Judgement, _ choice: MediaChoice,
    _ height: PictureHeight?, _ tracks: SplitTracks, hasStream: Bool
  ) {
    self.candidate = candidate
    let url = candidate.media.url
    if own.unplayable == nil, tracks.pictures.contains(url) {
      judgement = Candidate.Judgement(mediaClass: own.mediaClass, unplayable: .silent)
    } else if tracks.sounds.contains(url) {
      judgement = Candidate.Judgement(mediaClass: .audio, unplayable: own.unplayable)
    } else {
      judgement = own
    }
    isMadeOnDemand = candidate.isMadeOnDemand
    isLikelySilent = own.mediaClass == .video && MediaFormat.isSilent(candidate.media.codecs)
    isStream = own.isStream
    isFragmented = hasStream && tracks.fragmented.contains(url)
    let picture = own.mediaClass == .audio ? nil : height
    self.height = picture
    excess = choice.maxHeight.map { max(0, (picture?.lines ?? 0) - $0) } ?? 0
    prefer = choice.prefer
  }

  /// Compares the formats of this candidate and `other`; nil if they are equally good. Most
  /// comparisons are decided without this. That saves much time, because formats are read from
  /// addresses.
  private func comparisonOfFormats(
    with other: RankedCandidate
  ) -> (by: Criterion, isBetter: Bool)? {
    let isFile = judgement.unplayable == nil && judgement.mediaClass != .other
    guard isFile, prefer != nil || isStream == other.isStream else {
      return isStream == other.isStream ? nil : (.plain, other.isStream)
    }
    let (format, otherFormat) = (
      MediaFormat(of: candidate.media), MediaFormat(of: other.candidate.media)
    )
    if let prefer {
      let (place, otherPlace) = (format.place(in: prefer), otherFormat.place(in: prefer))
      if place != otherPlace { return (.format, place < otherPlace) }
    }
    if isStream != other.isStream { return (.plain, other.isStream) }
    let (place, otherPlace) = (format.place(in: nil), otherFormat.place(in: nil))
    return place == otherPlace ? nil : (.format, place < otherPlace)
  }

  /// Whether this candidate is better than `other`; nil if they are equally good.
  func isBetter(than other: RankedCandidate) -> Bool? {
    comparison(with: other)?.isBetter
  }

  /// Returns the first criterion by which this candidate and `other` differ, and whether this
  /// candidate is the better one; nil if they are equally good.
  func comparison(with other: RankedCandidate) -> (by: Criterion, isBetter: Bool)? {
    let isPlayable = judgement.unplayable == nil
    if isPlayable != (other.judgement.unplayable == nil) { return (.playable, isPlayable) }
    let (rank, otherRank) = (judgement.mediaClass.rank, other.judgement.mediaClass.rank)
    if rank != otherRank { return (.mediaClass, rank > otherRank) }
    if candidate.isSample != other.candidate.isSample { return (.whole, other.candidate.isSample) }
    if isLikelySilent != other.isLikelySilent { return (.sound, other.isLikelySilent) }
    if isMadeOnDemand != other.isMadeOnDemand { return (.onDemand, other.isMadeOnDemand) }
    if isFragmented != other.isFragmented { return (.fragmented, other.isFragmented) }
    if excess != other.excess { return (.excess, excess < other.excess) }
    let (lines, otherLines) = (
      height?.lines ?? PictureHeight.usual, other.height?.lines ?? PictureHeight.usual
    )
    if lines != otherLines { return (.height, lines > otherLines) }
    if let found = comparisonOfFormats(with: other) { return found }
    let (media, otherMedia) = (candidate.media, other.candidate.media)
    if media.isDefault != otherMedia.isDefault { return (.isDefault, media.isDefault) }
    let isEnclosure = candidate.source == .enclosure
    if isEnclosure != (other.candidate.source == .enclosure) { return (.enclosure, isEnclosure) }
    let (bitrate, otherBitrate) = (media.bitrate ?? 0, otherMedia.bitrate ?? 0)
    return bitrate == otherBitrate ? nil : (.bitrate, bitrate > otherBitrate)
  }
}

extension MediaClass {
  /// The rank of the class; greater is better. A file of unknown class can be anything, so it is
  /// worse than a file that is said to be media.
  fileprivate var rank: Int {
    switch self {
    case .video: 3
    case .audio: 2
    case .unknown: 1
    case .other: 0
    }
  }
}
