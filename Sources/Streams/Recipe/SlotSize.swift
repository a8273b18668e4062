/// Computes how many bytes a slot needs at most, before its fragment is known.
///
/// A slot has the samples of its fragment unchanged, with a header before each. It leaves out the
/// fragment's own headers, which makes room for some of these.
package enum SlotSize {
  /// The clusters' own heads, and the filling.
  private static let minBytes = 64
  /// Bytes before a sample: a name, a size of up to four bytes, track, time and flags.
  private static let header = 9
  /// Bytes a second that are reserved for the pictures of a track: at 250 a second, a header less the
  /// four bytes of each picture's size in its fragment.
  private static let video = 1250
  /// The most bytes a second that are also reserved for small pictures, several of which lie in one
  /// packet.
  private static let tightly = 400
  /// Samples a second of unknown sound: as AAC at 48 kHz.
  private static let sounds = 48_000.0 / 1024

  package static func bytes(
    fragment: StrandIndex.Fragment, of strand: StrandIndex
  ) throws(StreamError) -> Int {
    if fragment.isGap { return minBytes }
    let size = fragment.bytes.count
    try StreamLimit.slot.check(size)
    guard fragment.duration >= 0, fragment.duration < 1_000_000 * MediaTime.second else {
      throw .tooLarge("time")
    }
    // Durations of playlists are rounded, and fragments overlap: a second more.
    let seconds = fragment.duration / MediaTime.second + 2
    var clusters = seconds * 24
    let rate: Int
    switch strand.format {
    // WebM has the headers already. Only clusters grow a little.
    case .webm: rate = 0
    case .samples:
      rate = strand.tracks.reduce(0) { $0 + packed(rate: $1) }
      clusters += min(size / 64, seconds * tightly)
      // Two clusters that follow one another have more bytes than one may have.
      clusters += (size / (LayoutRecipe.block / 2) + 1) * 24
    case .movie: rate = strand.tracks.reduce(0) { $0 + self.rate(of: $1) }
    }
    let slot =
      size + minBytes + clusters + seconds * rate + fragment.reserve
    try StreamLimit.slot.check(slot)
    return slot
  }

  /// Bytes a second that are reserved for the headers of samples that lie in packets. Those of a
  /// transport stream take more than blocks do, and so do the heads of AAC, which are left out. Other
  /// packed sound has nothing besides its frames.
  private static func packed(rate track: StrandIndex.Track) -> Int {
    let isPlain = track.description.isVideo || track.description.codec == "A_AAC"
    return isPlain ? 16 : self.rate(of: track)
  }

  /// Bytes a second of the headers of a track's samples.
  private static func rate(of track: StrandIndex.Track) -> Int {
    let duration = max(track.sampleDuration ?? 0, 0)
    let observed = duration > 0 ? Double(MediaTime.second) / Double(duration) : 0
    let most = min(max(observed, track.description.isVideo ? 0 : sounds), 100_000)
    let bytes = Int(most * 1.1 * Double(header))
    return track.description.isVideo ? max(video, bytes) : bytes
  }
}
