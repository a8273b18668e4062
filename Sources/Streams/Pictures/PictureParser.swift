/// A coded picture of a stream. Its times can be unknown.
struct CodedPicture {
  var stamp: PacketStamp?
  /// The place in display order; nil if it is not known.
  var order: Int?
  /// Whether the display order restarts here.
  var isBeginning = false
  var isKey = false
  var isDiscardable = false
  /// The picture's NAL units, each preceded by its length in four bytes.
  var bytes: [UInt8] = []
  /// The head of the picture's first slice; nil if the head cannot be read.
  var head: SliceHead?
}

/// Makes samples from the pictures of one stream, wherever its packets begin and end.
///
/// The two fields of an interlaced frame become one sample.
struct PictureParser {
  private let codec: PictureCodec
  private var configuration = PictureConfiguration()
  private var sets = PictureSets()
  private var units: AccessUnits
  private var order = PictureOrder()
  private var clock: PictureClock
  /// The first field of an interlaced frame, while its second field can follow.
  private var field: CodedPicture?
  private var samples: [MediaSample] = []
  /// The number of payload bytes that are in no sample, apart from heads, delimiters and stuffing.
  var lost: Int { units.lost + clock.lost }

  /// - Parameters:
  ///   - place: a time in ticks, less than 13 hours away from the times of the pictures.
  ///   - description: the description of the track, if it is known. Its parameter sets are used
  ///     until the stream has parameter sets of its own.
  ///   - delay: the parameter `delay` of `PictureClock`, if it is known.
  init(
    _ codec: PictureCodec, near place: Int, _ description: TrackDescription? = nil,
    delay: Int? = nil
  ) {
    self.codec = codec
    units = AccessUnits(codec)
    let usual = description?.defaultDuration.map { TimeStamp.ticks(.nanoseconds($0)) }
    clock = PictureClock(codec, near: place, usual: usual, delay: delay)
    for set in Self.sets(of: description?.codecPrivate ?? [], codec) { take(set: set[...]) }
  }

  /// Whether a picture has begun whose end was not seen yet.
  var isOpen: Bool { units.isOpen }

  mutating func take(_ bytes: ArraySlice<UInt8>, _ stamp: PacketStamp?) throws(StreamError) {
    for unit in try units.take(bytes, stamp) { try add(unit) }
  }

  /// Ends the stream: no more bytes come.
  ///
  /// - Parameter next: the times of the picture that follows the last picture; nil if they are not
  ///   known.
  mutating func finish(before next: PacketStamp? = nil) throws(StreamError) {
    for unit in units.finish() { try add(unit) }
    if let field {
      self.field = nil
      samples += try clock.take(field)
    }
    samples += try clock.finish(before: next)
  }

  /// Returns the pictures whose times are certain, and removes them. Their track is 0, and they
  /// have no duration.
  mutating func takeWhole() -> [MediaSample] {
    defer { samples.removeAll() }
    return samples
  }

  /// Whether the pictures so far contain all parameter sets that a decoder needs.
  var isDescribed: Bool { (try? description()) != nil }

  func description() throws(StreamError) -> TrackDescription {
    try configuration.description(codec)
  }

  private mutating func take(set unit: ArraySlice<UInt8>) {
    guard let first = unit.first else { return }
    sets.take(unit, as: codec.unit(first), of: codec)
  }

  private mutating func add(_ unit: AccessUnit) throws(StreamError) {
    var picture = CodedPicture()
    picture.stamp = unit.stamp
    let wasWhole = configuration.isWhole(for: codec)
    var kept: [Range<Int>] = []
    var (hasSlice, isReference) = (false, false)
    for range in unit.units {
      let bytes = unit.bytes[range]
      let kind = codec.unit(unit.bytes[range.lowerBound])
      switch kind {
      case .delimiter: continue
      case .slice(let key, let reference):
        if !hasSlice { picture.head = sets.head(of: bytes, codec) }
        hasSlice = true
        picture.isKey = picture.isKey || key
        isReference = isReference || reference
      case .information: picture.isKey = picture.isKey || PictureCodec.isRecoveryPoint(bytes)
      case .videoParameters, .sequenceParameters, .pictureParameters:
        if !wasWhole { configuration.take(bytes, as: kind) }
        sets.take(bytes, as: kind, of: codec)
      case .other: break
      }
      kept.append(range)
    }
    guard hasSlice else { return }
    picture.isDiscardable = !isReference
    picture.bytes = AnnexB.lengthPrefixed(kept, of: unit.bytes[...])
    if let head = picture.head {
      picture.order = order.place(of: head)
      picture.isBeginning = head.isBeginning
    }
    if let first = field {
      field = nil
      if let joined = Self.joined(first, picture) {
        samples += try clock.take(joined)
        return
      }
      samples += try clock.take(first)
    }
    if picture.head?.isField ?? false {
      field = picture
    } else {
      samples += try clock.take(picture)
    }
  }

  /// Returns the frame that two fields make; nil if the fields belong to different frames (H.264
  /// §7.4.1.2.4).
  private static func joined(_ first: CodedPicture, _ second: CodedPicture) -> CodedPicture? {
    guard let one = first.head, let other = second.head, other.isField,
      one.isBottom != other.isBottom, one.frame == other.frame, !other.isBeginning,
      one.isReference || !other.isReference
    else { return nil }
    var frame = first
    frame.bytes += second.bytes
    frame.isDiscardable = first.isDiscardable && second.isDiscardable
    if let order = first.order, let next = second.order { frame.order = min(order, next) }
    return frame
  }

  /// Returns the parameter sets in a decoder configuration record (ISO 14496-15), up to the first
  /// damage.
  private static func sets(of record: [UInt8], _ codec: PictureCodec) -> [[UInt8]] {
    var cursor = ByteCursor(record[...], of: "record")
    var sets: [[UInt8]] = []
    func read(_ count: Int) throws(StreamError) {
      for _ in 0..<count {
        let length: UInt16 = try cursor.number()
        sets.append(Array(try cursor.take(Int(length))))
      }
    }
    do throws(StreamError) {
      switch codec {
      case .h264:
        _ = try cursor.take(5)
        let sequences: UInt8 = try cursor.number()
        try read(Int(sequences & 31))
        let pictures: UInt8 = try cursor.number()
        try read(Int(pictures))
      case .hevc:
        _ = try cursor.take(22)
        let arrays: UInt8 = try cursor.number()
        for _ in 0..<arrays {
          _ = try cursor.take(1)
          let count: UInt16 = try cursor.number()
          try read(Int(count))
        }
      }
    } catch {
      return sets
    }
    return sets
  }
}
