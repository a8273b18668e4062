/// Computes a size that is enough for a slot, before its fragment is read.
///
/// A slot has the samples of its fragment unchanged, with a header before each. The fragment's own
/// headers are left out, and make room for some of these.
package enum SlotSize {
  /// Bytes for the heads of clusters, and the filling.
  private static let minBytes = 64
  /// Bytes before a sample: the ID, a size of up to four bytes, track, time and flags.
  private static let header = 9
  /// Bytes a second that are at least reserved for the headers of pictures: at 250 pictures a
  /// second, a header minus the four bytes that a picture's size takes in the fragment.
  private static let video = 1250
  /// The limit for the bytes a second that are also reserved for pictures so small that several are
  /// in one packet.
  private static let tightly = 400
  /// Samples a second of a sound whose sample duration is not known: as AAC at 48 kHz.
  private static let sounds = 48_000.0 / 1024

  package static func bytes(
    fragment: StrandIndex.Fragment, of strand: StrandIndex
  ) throws(StreamError) -> Int {
    guard fragment.duration >= 0, fragment.duration < 1_000_000 * MediaTime.second else {
      throw .tooLarge("time")
    }
    if fragment.isGap { return minBytes }
    let size = fragment.bytes.count
    try StreamLimit.slot.check(size)
    // One second more, since playlists round durations, and fragments overlap.
    let seconds = fragment.duration / MediaTime.second + 2
    var clusters = seconds * 24
    let rate: Int
    switch strand.format {
    // WebM has these headers already. Only clusters grow a little.
    case .webm: rate = 0
    case .samples:
      rate = strand.tracks.reduce(0) { $0 + packed(rate: $1) }
      clusters += min(size / 64, seconds * tightly)
      // Two neighbouring clusters together have more bytes than the limit for one.
      clusters += (size / (LayoutRecipe.block / 2) + 1) * 24
    case .movie: rate = strand.tracks.reduce(0) { $0 + self.rate(of: $1) }
    }
    let slot =
      size + minBytes + clusters + seconds * rate + fragment.reserve
    try StreamLimit.slot.check(slot)
    return slot
  }

  /// Returns the bytes a second that are reserved for the headers of samples from packets or packed
  /// audio. The packets of a transport stream take more than these headers, and so do the heads of
  /// AAC frames: both are left out. Other packed audio has only frames, so all headers need room.
  private static func packed(rate track: StrandIndex.Track) -> Int {
    let isPlain = track.description.isVideo || track.description.codec == "A_AAC"
    return isPlain ? 16 : self.rate(of: track)
  }

  /// Returns the bytes a second that the headers of a track's samples need.
  private static func rate(of track: StrandIndex.Track) -> Int {
    let duration = max(track.sampleDuration ?? 0, 0)
    let observed = duration > 0 ? Double(MediaTime.second) / Double(duration) : 0
    let most = min(max(observed, track.description.isVideo ? 0 : sounds), 100_000)
    let bytes = Int(most * 1.1 * Double(header))
    return track.description.isVideo ? max(video, bytes) : bytes
  }
}
