/// The facts in the head of a slice that tell which field or frame it belongs to, and its place in
/// display order.
struct SliceHead: Equatable {
  /// Whether the display order restarts here: earlier pictures do not matter.
  var isBeginning = false
  var isReference = true
  /// Whether the places of later pictures are counted from this picture.
  var isAnchor = true
  /// The frame number (H.264).
  var frame = 0
  /// Whether the picture is one field of an interlaced frame.
  var isField = false
  var isBottom = false
  /// The lowest bits of the place in display order; nil if slices do not tell it.
  var order: Int?
  /// The number of bits of `order`.
  var orderBits = 4
  /// True if display order and decoding order are the same.
  var isInOrder = false
}

/// The parameter sets to which slices refer by number.
struct PictureSets {
  /// The facts of a picture parameter set that are needed to read the heads of slices.
  private struct PictureSet {
    let sequence: Int
    /// HEVC: the number of extra bits in the heads of slices, and whether heads have
    /// `pic_output_flag`.
    var skipped = 0
    var tellsOutput = false
  }

  /// Every parameter set has an ID below this number (H.264 §7.4.2.1.1, §7.4.2.2).
  private static let maxSets = 256
  /// How many bytes of a slice or of a picture parameter set are read. The needed facts are in
  /// them.
  private static let head = 48

  private var sequences: [Int: SequenceParameters] = [:]
  private var pictures: [Int: PictureSet] = [:]

  /// Reads a NAL unit if it is a parameter set. A set that cannot be read is ignored.
  mutating func take(_ unit: ArraySlice<UInt8>, as kind: PictureCodec.Unit, of codec: PictureCodec)
  {
    switch kind {
    case .sequenceParameters:
      let facts: SequenceParameters?
      switch codec {
      case .h264: facts = try? SequenceParameters(h264: unit)
      case .hevc: facts = try? SequenceParameters(hevc: unit)
      }
      if let facts, facts.id < Self.maxSets { sequences[facts.id] = facts }
    case .pictureParameters:
      if let (id, set) = try? Self.set(unit, codec), id < Self.maxSets { pictures[id] = set }
    case .delimiter, .videoParameters, .information, .slice, .other: break
    }
  }

  private static func set(
    _ unit: ArraySlice<UInt8>, _ codec: PictureCodec
  ) throws(StreamError) -> (id: Int, set: PictureSet) {
    var reader = BitReader(unescaping: unit.prefix(head))
    try reader.skip(codec == .h264 ? 8 : 16)
    let id = try reader.unsigned()
    var set = PictureSet(sequence: try reader.unsigned())
    if codec == .hevc {
      try reader.skip(1)
      set.tellsOutput = try reader.flag()
      set.skipped = try reader.bits(3)
    }
    return (id, set)
  }

  /// Reads the head of the first slice of a picture; nil if it cannot be read, or if it refers to
  /// parameter sets that are not known.
  func head(of slice: ArraySlice<UInt8>, _ codec: PictureCodec) -> SliceHead? {
    switch codec {
    case .h264: try? h264(slice)
    case .hevc: try? hevc(slice)
    }
  }

  /// Reads the head of a slice of H.264 (§7.3.3).
  private func h264(_ slice: ArraySlice<UInt8>) throws(StreamError) -> SliceHead? {
    guard let first = slice.first else { return nil }
    var reader = BitReader(unescaping: slice.prefix(Self.head))
    try reader.skip(8)
    _ = try reader.unsigned()
    _ = try reader.unsigned()
    guard let set = pictures[try reader.unsigned()], let facts = sequences[set.sequence] else {
      return nil
    }
    var head = SliceHead()
    head.isBeginning = first & 31 == 5
    head.isReference = first & 0x60 != 0
    head.isAnchor = head.isReference
    head.isInOrder = facts.orderKind == 2
    if facts.isSeparate { try reader.skip(2) }
    head.frame = try reader.bits(facts.frameBits)
    if facts.hasFields {
      head.isField = try reader.flag()
      if head.isField { head.isBottom = try reader.flag() }
    }
    if head.isBeginning { _ = try reader.unsigned() }
    if facts.orderKind == 0 {
      head.orderBits = facts.orderBits
      head.order = try reader.bits(facts.orderBits)
    }
    return head
  }

  /// Reads the head of a slice of HEVC (§7.3.6.1).
  private func hevc(_ slice: ArraySlice<UInt8>) throws(StreamError) -> SliceHead? {
    let bytes = Array(slice.prefix(2))
    guard bytes.count == 2 else { return nil }
    let type = Int(bytes[0] >> 1 & 63)
    var reader = BitReader(unescaping: slice.prefix(Self.head))
    try reader.skip(16)
    guard try reader.flag() else { return nil }
    if (16...23).contains(type) { try reader.skip(1) }
    guard let set = pictures[try reader.unsigned()], let facts = sequences[set.sequence] else {
      return nil
    }
    var head = SliceHead()
    // 16 to 20 are BLA and IDR. Leading pictures, and pictures of higher temporal layers, are no
    // anchors (HEVC §8.3.1).
    head.isBeginning = (16...20).contains(type)
    let isLeading = (6...9).contains(type)
    let isSubLayer = type < 16 && type % 2 == 0
    head.isAnchor = bytes[1] & 7 == 1 && !isLeading && !isSubLayer
    head.orderBits = facts.orderBits
    try reader.skip(set.skipped)
    _ = try reader.unsigned()
    if set.tellsOutput { try reader.skip(1) }
    if facts.isSeparate { try reader.skip(2) }
    head.order = type == 19 || type == 20 ? 0 : try reader.bits(facts.orderBits)
    return head
  }
}

/// Computes the places of pictures in display order (H.264 §8.2.1.1, HEVC §8.3.1).
///
/// Places are counted from an unknown number, so only the difference of two places has a meaning.
struct PictureOrder {
  private var last: (high: Int, low: Int)?
  private var passed = 0

  /// Returns the place of the next picture in decoding order; nil if its head does not tell the
  /// place.
  mutating func place(of head: SliceHead) -> Int? {
    if head.isInOrder {
      passed += 1
      return 2 * passed
    }
    guard let low = head.order else { return nil }
    let range = 1 << head.orderBits
    var high = 0
    if let last, !head.isBeginning {
      high = last.high
      if low < last.low, last.low - low >= range / 2 { high += range }
      if low > last.low, low - last.low > range / 2 { high -= range }
    }
    if last == nil || head.isAnchor { last = (high, low) }
    return high + low
  }
}
