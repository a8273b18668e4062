/// Makes the index of a strand that is one fragmented MP4 file.
enum MovieFile {
  /// Returns the index; nil if `known` lacks bytes for it. Then `known.missing` tells which are
  /// needed.
  static func index(
    _ known: inout KnownBytes, segments: [StrandPlan.Segment], walk: inout MovieWalk?
  ) throws(StreamError) -> StrandIndex? {
    guard let front = try Front(&known) else { return nil }
    guard let moov = front.moov else {
      throw .unsupported("the MP4 file does not begin with its head (moov)")
    }
    let head = try MovieHead(moov)
    // Samples that only the head describes do not matter if a list of segments tells which bytes to
    // read.
    guard head.samples == 0 || !segments.isEmpty else {
      throw .unsupported(
        "the MP4 file has pictures or sound in front of its fragments, which a film would lose")
    }
    let reference = head.tracks.first { $0.description.isVideo } ?? head.tracks[0]
    var fragments: [StrandIndex.Fragment]?
    var end: Int?
    var balance = MediaBalance()
    var hasOthers = false
    switch try usable(front, reference: reference, &known) {
    case .missing: return nil
    case .found(let index):
      let track = head.tracks.first { $0.id == index.index.track } ?? reference
      guard let found = try IndexedFragments(index, track: track, &known) else { return nil }
      (fragments, end) = (found.fragments, found.end)
    case .none where !segments.isEmpty:
      break
    case .none:
      var walking = walk ?? MovieWalk(tracks: head.tracks, from: front.media)
      defer { walk = walking }
      guard try walking.isDone(&known) else { return nil }
      (fragments, end) = (walking.fragments, walking.end)
      (balance, hasOthers) = (walking.balance, walking.hasOthers)
    }
    let ranges = fragments?.map(\.bytes) ?? segments.map(\.bytes)
    guard let first = ranges.first, ranges.allSatisfy({ $0.upperBound <= known.length }) else {
      throw .malformed("the playlist names bytes behind the end of the file")
    }
    try StreamLimit.segments.check(ranges.count)
    guard let movie = try FirstFragment(&known, at: first, tracks: head.tracks) else { return nil }
    let strand = MovieStrand(head: head, initialisation: Array(moov.body), first: movie.samples)
    var index: StrandIndex
    if let fragments, let end {
      index = try strand.index(fragments, end: end)
    } else {
      index = try strand.index(
        segments.map { .init(bytes: $0.bytes, duration: $0.duration) })
    }
    var lost = head.others
    if lost.isEmpty, hasOthers || movie.hasOthers {
      lost.append("a track that the head of the file does not name")
    }
    index.lost = lost
    // If some tracks are not read, bytes outside of samples can belong to them. So no balance is
    // kept then.
    if lost.isEmpty { index.balance = balance }
    return index
  }

  /// The boxes before the first fragment.
  private struct Front {
    var moov: Box?
    var indexes: [(index: SegmentIndex, end: Int)] = []
    /// The offset of the first fragment.
    var media = 0

    /// Reads these boxes. Returns nil if `known` lacks bytes of them.
    init?(_ known: inout KnownBytes) throws(StreamError) {
      var passed = 0
      while media < known.length {
        let left = known.length - media
        guard let start = known.read(media..<media + min(left, BoxHeader.maxBytes), ahead: 16 << 10)
        else { return nil }
        let header = try BoxHeader(start, left: left)
        if header.type == "moof" || header.type == "mdat" { return }
        guard header.size <= left else { throw .truncated("box \(header.type)") }
        passed += 1
        try StreamLimit.boxes.check(passed)
        let end = media + header.size
        if header.type == "moov" || header.type == "sidx" {
          try (header.type == "moov" ? StreamLimit.movieHead : .index).check(header.size)
          guard let bytes = known.read(media..<end, ahead: header.size + 4096) else { return nil }
          let box = Box(type: header.type, body: bytes.dropFirst(header.headerSize))
          if header.type == "moov" {
            moov = box
          } else {
            indexes.append((try SegmentIndex(box), end))
          }
        }
        media = end
      }
    }
  }

  private enum Usable {
    case missing
    case none
    case found((index: SegmentIndex, end: Int))
  }

  /// The limit for bytes after the last fragment. Even the index of a whole day of video is
  /// smaller.
  private static let maxTail = 1 << 20

  /// Finds a `sidx` that covers all fragments of the file.
  ///
  /// Some packagers write a `sidx` before each fragment, which lists only that fragment and is not
  /// usable.
  private static func usable(
    _ front: Front, reference: MovieTrack, _ known: inout KnownBytes
  ) throws(StreamError) -> Usable {
    let indexes = front.indexes
    let own = indexes.filter { $0.index.track == reference.id }
    for index in own + indexes where !index.index.references.isEmpty {
      let start = try MediaTime.sum(index.end, index.index.gap)
      // An index that begins behind the first fragment would leave it out.
      guard start <= front.media else { continue }
      let end = try MediaTime.sum(start, index.index.size)
      if end == known.length { return .found(index) }
      // A box that contains no media can follow the last fragment, such as another index (`mfra`).
      let left = known.length - end
      guard left >= 8, left <= maxTail else { continue }
      guard let bytes = known.read(end..<end + min(left, BoxHeader.maxBytes)) else {
        return .missing
      }
      guard let header = try? BoxHeader(bytes, left: left), header.size == left else { continue }
      if ["mfra", "free", "skip", "udta", "meta", "uuid"].contains(header.type) {
        return .found(index)
      }
    }
    return .none
  }
}

/// The samples of the first `moof` box of a file.
private struct FirstFragment {
  let samples: [FragmentSample]
  /// True if the `moof` box has samples of tracks that are not read.
  let hasOthers: Bool

  /// Reads the first `moof` box in `bytes`. Returns nil if `known` lacks bytes of it.
  init?(
    _ known: inout KnownBytes, at bytes: Range<Int>, tracks: [MovieTrack]
  ) throws(StreamError) {
    var walk = FragmentWalk(size: bytes.count)
    while walk.moofs.isEmpty, let range = walk.needs {
      let place = bytes.lowerBound + range.lowerBound
      let most = BoxHeader.maxBytes
      // The header of the box tells how many bytes are needed.
      guard let start = known.read(place..<min(bytes.upperBound, place + most), ahead: range.count)
      else { return nil }
      let header = try BoxHeader(start, left: bytes.upperBound - place)
      var rest = start
      if header.type == "moof" {
        try StreamLimit.movieFragment.check(header.size)
        guard header.size <= bytes.upperBound - place else { throw .truncated("moof") }
        guard let whole = known.read(place..<place + max(header.size, start.count)) else {
          return nil
        }
        rest = whole
      }
      try walk.take(rest, at: range.lowerBound)
    }
    guard let moof = walk.moofs.first else { throw .malformed("a fragment without moof") }
    var movie = MovieFragment(
      defaults: Dictionary(uniqueKeysWithValues: tracks.map { ($0.id, $0.defaults) }),
      origin: bytes.lowerBound, size: bytes.count)
    try movie.read(moof.body, at: moof.place)
    samples = movie.samples
    hasOthers = movie.hasOthers
  }
}
