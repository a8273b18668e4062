/// A limit that no stream is allowed to exceed, whatever its bytes say (docs/internals/limits.md).
///
/// Streams come from strangers. Each limit is far above the numbers that packagers write, and far
/// below numbers that would harm feedfs.
package enum StreamLimit: String, CaseIterable, Sendable {
  /// Bytes of a playlist or manifest.
  case playlist
  /// Segments of a playlist, fragments of a stream, and elements in one element.
  case segments
  /// Bytes of a `moov` box.
  case movieHead
  /// Bytes of a `moof` box.
  case movieFragment
  /// Bytes of a `sidx` box, and of the Info, Tracks, SeekHead or Cues of a WebM file.
  case index
  /// Levels of `sidx` boxes.
  case indexLevels
  /// Tracks of one file; also tracks, and strands, of a layout.
  case tracks
  /// Samples of one fragment.
  case samples
  /// Boxes or elements that are read in one container, or skipped in search of another one.
  case boxes
  /// Levels of EBML elements below the Segment.
  case depth
  /// Bytes of a slot, and of a fragment.
  case slot
  /// Bytes of a layout on the disk.
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
