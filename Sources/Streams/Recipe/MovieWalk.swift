/// Finds the fragments of an MP4 file without index, by reading the `moof` box of each.
struct MovieWalk {
  private(set) var fragments: [StrandIndex.Fragment] = []
  /// The end of the last sample, in nanoseconds.
  private(set) var end = 0
  /// The offset up to which the file was walked.
  private(set) var place: Int
  /// Compares the media up to `place` with the samples that were found.
  private(set) var balance = MediaBalance()
  /// True if samples belong to tracks that the head does not describe.
  private(set) var hasOthers = false

  /// The longest time, in nanoseconds, for joining fragments. A fragment that does not begin with a
  /// key picture is joined to the previous fragment, if the previous fragment began less than this
  /// time earlier.
  private static let maxSpan = 10 * MediaTime.second

  private let tracks: [MovieTrack]
  private let reference: MovieTrack
  /// The offset at which the walk began.
  private let first: Int
  /// The offset of the fragment that is being read. Other boxes can come before its `moof`.
  private var start: Int
  private var movie: MovieFragment?
  /// The ranges of `mdat` contents that are not in the balance yet.
  private var media: [Range<Int>] = []
  private var passed = 0
  /// The number of `moof` boxes that were read.
  private var heads = 0
  /// How many bytes are requested if nothing is known of the next box.
  private var guess = 16 << 10

  /// The cost of a request, in bytes: about this many bytes arrive during one round trip.
  private static let costOfRequest = 128 << 10
  /// How many `moof` boxes must be read before `isCheap` can judge the cost.
  private static let minHeads = 8

  /// Whether it costs less to read the `moof` boxes than to read the whole file.
  var isCheap: Bool {
    heads < Self.minHeads || (place - first) / heads > Self.costOfRequest
  }

  init(tracks: [MovieTrack], from place: Int) {
    self.tracks = tracks
    reference = tracks.first { $0.description.isVideo } ?? tracks[0]
    self.place = place
    first = place
    start = place
  }

  /// Walks on to the end of the file. Returns false if `known` lacks bytes for the next step.
  mutating func isDone(_ known: inout KnownBytes) throws(StreamError) -> Bool {
    while place < known.length {
      let left = known.length - place
      guard let bytes = known.read(place..<place + min(left, BoxHeader.maxBytes), ahead: guess)
      else {
        return false
      }
      let header = try BoxHeader(bytes, left: left)
      guard header.size <= left else { throw .truncated("box \(header.type)") }
      var isJoined = false
      passed += 1
      try StreamLimit.boxes.check(passed / 8)
      if header.type == "moof" {
        try StreamLimit.movieFragment.check(header.size)
        guard let whole = known.read(place..<place + header.size, ahead: guess) else {
          passed -= 1
          return false
        }
        guess = header.size + header.size / 4 + 256
        isJoined = try joins(whole.dropFirst(header.headerSize), known.length)
        heads += 1
      }
      if header.type == "mdat", header.size > header.headerSize {
        media.append(place + header.headerSize..<place + header.size)
        try StreamLimit.boxes.check(media.count)
      }
      place += header.size
      if header.type == "mdat" || isJoined { close() }
    }
    guard !fragments.isEmpty else { throw .malformed("a film without fragments") }
    settle()
    return true
  }

  /// Reads the content of a `moof` box: begins a new fragment, or extends the previous fragment.
  /// Returns whether the box belongs to the previous fragment.
  private mutating func joins(
    _ moof: ArraySlice<UInt8>, _ length: Int
  ) throws(StreamError) -> Bool {
    var fresh = MovieFragment(
      defaults: Dictionary(uniqueKeysWithValues: tracks.map { ($0.id, $0.defaults) }),
      origin: start, size: length - start)
    do {
      try fresh.read(moof, at: place - start)
    } catch {
      // A `moof` without a time cannot be read by itself: it continues the previous fragment.
      guard let last = fragments.indices.last, movie != nil else { throw error }
      let offset = place - fragments[last].bytes.lowerBound
      try movie?.read(moof, at: offset)
      try extend(last)
      return true
    }
    let samples = fresh.samples.filter { $0.track == reference.id }
    let measured = samples.isEmpty ? fresh.samples : samples
    let track = tracks.first { $0.id == measured.first?.track } ?? reference
    guard let shown = measured.map({ $0.time &+ $0.composition }).min() else { return false }
    let time = try MediaTime.nanoseconds(
      MediaTime.difference(shown, track.shift), timescale: track.description.timescale)
    let isKey = measured[0].isKey
    if !isKey, let last = fragments.indices.last, movie != nil,
      try MediaTime.difference(time, fragments[last].start) < Self.maxSpan
    {
      try movie?.read(moof, at: place - fragments[last].bytes.lowerBound)
      try extend(last)
      return true
    }
    settle()
    movie = fresh
    fragments.append(.init(bytes: start..<place, start: time, duration: 0, isKey: isKey))
    try StreamLimit.segments.check(fragments.count)
    try extend(fragments.count - 1)
    return false
  }

  /// Computes the duration of the fragment at `last` from its samples.
  private mutating func extend(_ last: Int) throws(StreamError) {
    guard let movie else { return }
    let samples = movie.samples.filter { $0.track == reference.id }
    let measured = samples.isEmpty ? movie.samples : samples
    guard let final = measured.last else { return }
    let track = tracks.first { $0.id == final.track } ?? reference
    let first = measured[0]
    let ticks = try MediaTime.difference(
      MediaTime.sum(final.time, final.duration), first.time)
    let duration = try MediaTime.nanoseconds(
      ticks, timescale: track.description.timescale)
    fragments[last].duration = max(0, duration)
    end = max(end, try MediaTime.sum(fragments[last].start, max(0, duration)))
  }

  /// Adds the samples of the last fragment, and the media since the previous call, to `balance`.
  private mutating func settle() {
    var samples: [Range<Int>] = []
    if let last = fragments.last, let movie {
      let start = last.bytes.lowerBound
      samples = movie.samples.map { start + $0.bytes.lowerBound..<start + $0.bytes.upperBound }
      hasOthers = hasOthers || movie.hasOthers
    }
    balance.add(media: media, samples: samples)
    media = []
    movie = nil
  }

  /// Ends the current fragment at `place`, after its media.
  private mutating func close() {
    if let last = fragments.indices.last {
      fragments[last].bytes = fragments[last].bytes.lowerBound..<place
    }
    start = place
  }
}
