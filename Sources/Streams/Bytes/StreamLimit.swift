/// A limit that no stream is allowed to exceed, whatever its bytes say (docs/internals/limits.md).
///
/// Streams come from strangers. Each limit is far above the numbers that packagers write, and far
/// below numbers that would harm feedfs.
package enum StreamLimit: String, CaseIterable, Sendable {
  /// The limit for the bytes of a playlist or manifest.
  case playlist
  /// The limit for the segments of a playlist, for the fragments of a stream, and for the children
  /// of one EBML element.
  case segments
  /// The limit for the bytes of a `moov` box.
  case movieHead
  /// The limit for the bytes of a `moof` box.
  case movieFragment
  /// The limit for the bytes of a `sidx` box, and of the Info, Tracks, SeekHead or Cues of a WebM
  /// file.
  case index
  /// The limit for the levels of `sidx` boxes.
  case indexLevels
  /// The limit for the tracks of one file; also for the tracks, and for the strands, of a layout.
  case tracks
  /// The limit for the samples of one fragment.
  case samples
  /// The limit for the boxes or elements that are read in one container, or skipped in search of
  /// another box or element.
  case boxes
  /// The limit for the levels of EBML elements below the Segment.
  case depth
  /// The limit for the bytes of a slot, and of a fragment.
  case slot
  /// The limit for the bytes of a layout on the disk.
  case savedLayout

  package var value: Int {
    switch self {
    case .playlist, .movieHead, .index: 16 << 20
    case .segments, .samples: 100_000
    case .movieFragment: 4 << 20
    case .indexLevels: 2
    case .tracks: 16
    case .boxes: 10_000
    case .depth: 5
    case .slot: 256 << 20
    case .savedLayout: 64 << 20
    }
  }

  /// Throws unless `number` is within the limit.
  package func check(_ number: Int) throws(StreamError) {
    guard number >= 0, number <= value else { throw .tooLarge(rawValue) }
  }
}
