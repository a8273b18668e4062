/// Reads the `stsd` box of an MP4 track, and describes its codec in the words of Matroska.
package enum SampleEntry {
  package static func description(
    _ stsd: Box, isVideo: Bool, timescale: Int
  ) throws(StreamError) -> TrackDescription {
    var (_, _, cursor) = try stsd.full()
    try cursor.skip(4)
    let entries = try Box.all(in: cursor.rest)
    if entries.contains(where: { $0.type == "encv" || $0.type == "enca" }) {
      throw .unsupported("the stream is protected by DRM, so feedfs cannot read it")
    }
    guard let entry = entries.first else { throw .malformed("stsd") }
    guard entries.count == 1 else {
      throw .unsupported("the codec of the stream changes within the film")
    }
    return isVideo
      ? try VideoEntry.description(entry, timescale: timescale)
      : try AudioEntry.description(entry, timescale: timescale)
  }

  /// Returns the content of the box of this type, which has the codec's configuration.
  static func configuration(
    _ type: BoxType, in boxes: ArraySlice<UInt8>
  ) throws(StreamError) -> ArraySlice<UInt8> {
    guard let box = try Box.all(in: boxes).first(where: { $0.type == type }) else {
      throw .malformed("a sample entry without \(type)")
    }
    return box.body
  }
}

/// Reads a `VisualSampleEntry` (ISO/IEC 14496-12 §12.1.3).
enum VideoEntry {
  static func description(
    _ entry: Box, timescale: Int
  ) throws(StreamError) -> TrackDescription {
    var cursor = ByteCursor(entry.body, of: "video sample entry")
    try cursor.skip(24)
    let width = Int(try cursor.number(UInt16.self))
    let height = Int(try cursor.number(UInt16.self))
    try cursor.skip(50)
    let (codec, configured): (String, BoxType?) =
      switch entry.type {
      case "avc1", "avc3": ("V_MPEG4/ISO/AVC", "avcC")
      case "hvc1", "hev1": ("V_MPEGH/ISO/HEVC", "hvcC")
      case "av01": ("V_AV1", "av1C")
      case "vp09": ("V_VP9", nil)
      default: throw .unsupported("feedfs does not know the codec \(entry.type)")
      }
    var configuration: [UInt8] = []
    if let configured {
      configuration = Array(try SampleEntry.configuration(configured, in: cursor.rest))
    }
    return TrackDescription(
      kind: .video(width: width, height: height), codec: codec, codecPrivate: configuration,
      timescale: timescale)
  }
}
