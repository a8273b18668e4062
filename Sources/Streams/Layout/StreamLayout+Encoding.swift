/// Writes and reads layouts as they are on the disk.
///
/// ```
/// 12  "feedfs-layou"
///  4  version of the format, 1
/// 32  hash of all that follows
///     numbers of 8 bytes (big-endian), flags of 1 byte, and contents after their lengths
/// ```
///
/// The first number after the hash is the number of the recipe. A layout contains no addresses and
/// no keys.
extension StreamLayout {
  private static let magic = Array("feedfs-layou".utf8)
  private static let format = 1

  /// - Parameter hash: a hash function whose results have `identitySize` bytes.
  package func encoded(
    hash: ([UInt8]) throws(StreamError) -> [UInt8]
  ) throws(StreamError) -> [UInt8] {
    var writer = LayoutWriter()
    writer.write(LayoutRecipe.number)
    writer.write(strands.count)
    for strand in strands {
      writer.write(Int(strand.format.rawValue))
      writer.write(strand.isAll)
      writer.write(strand.sections.count)
      for section in strand.sections { writer.write(section) }
      strand.streams.write(to: &writer)
    }
    writer.write(tracks.count)
    for track in tracks { track.write(to: &writer) }
    writer.write(fragments.count)
    for fragment in fragments { fragment.write(to: &writer) }
    writer.write(zero)
    writer.write(duration)
    writer.write(head)
    writer.write(identity)
    var bytes = Self.magic
    bytes.append(number: Self.format, width: 4)
    return bytes + (try hash(writer.bytes)) + writer.bytes
  }

  /// Whether `bytes` are a layout of an older format or an older recipe.
  package static func isOlder(_ bytes: [UInt8]) -> Bool {
    var cursor = ByteCursor(bytes[...], of: "layout")
    guard (try? Array(cursor.take(magic.count))) == magic, let format = try? cursor.word(),
      (try? cursor.take(identitySize)) != nil
    else { return false }
    var reader = LayoutReader(cursor.rest)
    guard let recipe = try? reader.number() else { return false }
    return format < Self.format || format == Self.format && recipe < LayoutRecipe.number
  }

  /// Reads a layout that `encoded` has written.
  ///
  /// - Throws: `malformed` or `truncated` for damaged bytes; `unsupported` for another format or
  ///   recipe; `tooLarge` if a limit is exceeded.
  package init(
    encoded bytes: [UInt8], hash: ([UInt8]) throws(StreamError) -> [UInt8]
  ) throws(StreamError) {
    try StreamLimit.savedLayout.check(bytes.count)
    var cursor = ByteCursor(bytes[...], of: "layout")
    guard try Array(cursor.take(Self.magic.count)) == Self.magic else {
      throw .malformed("layout")
    }
    guard try cursor.word() == Self.format else { throw .unsupported("layout") }
    let sum = Array(try cursor.take(Self.identitySize))
    guard try hash(Array(cursor.rest)) == sum else { throw .malformed("layout") }
    try self.init(parts: cursor.rest)
  }

  /// Reads the bytes after the hash.
  init(parts: ArraySlice<UInt8>) throws(StreamError) {
    var reader = LayoutReader(parts)
    guard try reader.number() == LayoutRecipe.number else { throw .unsupported("layout") }
    var strands: [LayoutStrand] = []
    for _ in 0..<(try reader.count(.tracks)) {
      guard let number = UInt8(exactly: try reader.number()),
        let format = StrandFormat(rawValue: number)
      else { throw .malformed("layout") }
      let isAll = try reader.flag()
      var sections: [Int] = []
      for _ in 0..<(try reader.count(.segments)) { sections.append(try reader.number()) }
      strands.append(
        LayoutStrand(
          format: format, isAll: isAll, sections: sections,
          streams: try [SectionStreams](&reader)))
    }
    var tracks: [LayoutTrack] = []
    for _ in 0..<(try reader.count(.tracks)) { tracks.append(try LayoutTrack(&reader)) }
    var fragments: [LayoutFragment] = []
    for _ in 0..<(try reader.count(.segments)) {
      fragments.append(try LayoutFragment(&reader))
    }
    try self.init(
      strands: strands, tracks: tracks, fragments: fragments,
      zero: try reader.number(), duration: try reader.number(), head: try reader.content(),
      identity: try reader.content())
    guard reader.isAtEnd else { throw .malformed("layout") }
  }
}

extension LayoutTrack {
  fileprivate func write(to writer: inout LayoutWriter) {
    writer.write(strand)
    writer.write(source)
    writer.write(shift)
    writer.write(defaults.duration)
    writer.write(defaults.size)
    writer.write(defaults.flags)
    writer.write(description.isVideo)
    switch description.kind {
    case .video(let first, let second), .audio(let first, let second):
      writer.write(first)
      writer.write(second)
    }
    writer.write(description.codec)
    writer.write(description.codecPrivate)
    writer.write(description.language)
    writer.write(description.timescale)
    writer.write(description.defaultDuration ?? 0)
    writer.write(description.codecDelay)
    writer.write(description.seekPreRoll)
  }

  fileprivate init(_ reader: inout LayoutReader) throws(StreamError) {
    strand = try reader.number()
    source = try reader.number()
    shift = try reader.number()
    defaults = SampleDefaults(
      duration: try reader.number(), size: try reader.number(), flags: try reader.number())
    let isVideo = try reader.flag()
    let (first, second) = (try reader.number(), try reader.number())
    var description = TrackDescription(
      kind: isVideo ? .video(width: first, height: second) : .audio(rate: first, channels: second),
      codec: try reader.text(), codecPrivate: try reader.content(), language: try reader.text(),
      timescale: try reader.number())
    let duration = try reader.number()
    description.defaultDuration = duration == 0 ? nil : duration
    description.codecDelay = try reader.number()
    description.seekPreRoll = try reader.number()
    self.description = description
  }
}

extension LayoutFragment {
  fileprivate func write(to writer: inout LayoutWriter) {
    writer.write(strand)
    writer.write(resource)
    writer.write(bytes.lowerBound)
    writer.write(bytes.upperBound)
    writer.write(start)
    writer.write(duration)
    writer.write(slot)
    writer.write(isGap)
    writer.write(section)
    writer.write(key != nil)
    if let key {
      writer.write(key.number)
      writer.write(key.vector)
    }
    writer.write(beginning)
    writer.write(edge?.phase ?? -1)
    writer.write(edge?.picture.rawValue ?? 0)
  }

  fileprivate init(_ reader: inout LayoutReader) throws(StreamError) {
    strand = try reader.number()
    resource = try reader.number()
    let (lower, upper) = (try reader.number(), try reader.number())
    guard lower >= 0, lower <= upper else { throw .malformed("layout") }
    bytes = lower..<upper
    start = try reader.number()
    duration = try reader.number()
    slot = try reader.number()
    isGap = try reader.flag()
    section = try reader.number()
    key =
      try reader.flag()
      ? FragmentKey(number: try reader.number(), vector: try reader.content()) : nil
    beginning = try reader.beginning()
    let (phase, number) = (try reader.number(), try reader.number())
    guard phase >= 0 else { return }
    guard phase < SegmentEdge.packet, let picture = SegmentEdge.Picture(rawValue: number) else {
      throw .malformed("layout")
    }
    edge = SegmentEdge(phase: phase, picture: picture)
  }
}

extension [SectionStreams] {
  func write(to writer: inout LayoutWriter) {
    writer.write(count)
    for streams in self {
      writer.write(streams.picture ?? -1)
      writer.write(streams.sound ?? -1)
      writer.write(streams.delay ?? -1)
    }
  }

  fileprivate init(_ reader: inout LayoutReader) throws(StreamError) {
    self = []
    for _ in 0..<(try reader.count(.segments)) {
      let numbers = [try reader.number(), try reader.number(), try reader.number()]
      let known = numbers.map { $0 < 0 || $0 > 1 << 33 ? nil : $0 }
      append(SectionStreams(picture: known[0], sound: known[1], delay: known[2]))
    }
  }
}
