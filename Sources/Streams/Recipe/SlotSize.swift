/// Computes a size that is enough for a slot, before its fragment is read.
///
/// A slot has the samples of its fragment unchanged, with a Matroska header before each sample. The
/// fragment's own headers are left out, which makes room for some of the Matroska headers.
package enum SlotSize {
  /// The least number of bytes that are reserved for the heads of clusters and a Void element.
  private static let minBytes = 64
  /// The size of the Matroska header before a sample, in bytes: the ID, a size of up to four bytes,
  /// track, time and flags.
  private static let header = 9
  /// The least number of bytes per second that are reserved for the headers of pictures: 250
  /// pictures with 5 bytes each. A header has 9 bytes, but the fragment has 4 bytes for the size of
  /// each picture, which are left out.
  private static let video = 1250
  /// The limit for the bytes per second that are reserved in addition, for pictures so small that
  /// one packet contains several.
  private static let tightly = 400
  /// The assumed number of samples per second of a sound whose sample duration is not known: as in
  /// AAC at 48 kHz.
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
    // At least one second is added, since playlists round durations, and fragments overlap.
    let seconds = fragment.duration / MediaTime.second + 2
    var clusters = seconds * 24
    let rate: Int
    switch strand.format {
    // A WebM fragment already has a header before each sample. Only the heads of its clusters can
    // grow a little.
    case .webm: rate = 0
    case .samples:
      rate = strand.tracks.reduce(0) { $0 + packed(rate: $1) }
      clusters += min(size / 64, seconds * tightly)
      // Two neighbouring clusters together exceed the limit for one cluster, so there are at most
      // this many.
      clusters += (size / (LayoutRecipe.block / 2) + 1) * 24
    case .movie: rate = strand.tracks.reduce(0) { $0 + self.rate(of: $1) }
    }
    let slot =
      size + minBytes + clusters + seconds * rate + fragment.reserve
    try StreamLimit.slot.check(slot)
    return slot
  }

  /// Returns how many bytes per second are reserved for the headers of samples from a transport
  /// stream or packed audio. The packet headers of pictures and the heads of AAC frames are left
  /// out, and they are longer than the Matroska headers. Frames of other sound are copied whole, so
  /// each of their headers needs room.
  private static func packed(rate track: StrandIndex.Track) -> Int {
    let isPlain = track.description.isVideo || track.description.codec == "A_AAC"
    return isPlain ? 16 : self.rate(of: track)
  }

  /// Returns how many bytes per second the headers of a track's samples need.
  private static func rate(of track: StrandIndex.Track) -> Int {
    let duration = max(track.sampleDuration ?? 0, 0)
    let observed = duration > 0 ? Double(MediaTime.second) / Double(duration) : 0
    let most = min(max(observed, track.description.isVideo ? 0 : sounds), 100_000)
    let bytes = Int(most * 1.1 * Double(header))
    return track.description.isVideo ? max(video, bytes) : bytes
  }
}
