/// The facts of a sequence parameter set that are needed to write a file and to read slices.
struct SequenceParameters: Hashable {
  var width = 0
  var height = 0
  var chroma = 1
  var lumaDepth = 8
  var chromaDepth = 8
  /// The number of temporal layers of HEVC, and whether they are nested.
  var layers = 1
  var isNested = false
  /// The number by which picture parameter sets refer to this set.
  var id = 0
  /// Whether each colour plane is coded like a picture of its own.
  var isSeparate = false
  /// Whether a picture can be one field of a frame (H.264).
  var hasFields = false
  /// The number of bits of a frame number in slices (H.264).
  var frameBits = 4
  /// How the display order is coded: `pic_order_cnt_type` (H.264 §8.2.1); 0 for HEVC.
  var orderKind = 0
  /// The number of bits of the place in display order, if slices tell that place.
  var orderBits = 4

  /// Reads a sequence parameter set of H.264 (§7.3.2.1).
  init(h264 unit: ArraySlice<UInt8>) throws(StreamError) {
    var reader = BitReader(unescaping: unit)
    try reader.skip(8)
    let profile = try reader.bits(8)
    try reader.skip(16)
    id = try reader.unsigned()
    if Self.highProfiles.contains(profile) {
      chroma = try reader.unsigned()
      guard chroma <= 3 else { throw .malformed("parameter set") }
      if chroma == 3 { isSeparate = try reader.flag() }
      lumaDepth = try reader.unsigned() + 8
      chromaDepth = try reader.unsigned() + 8
      guard lumaDepth <= 14, chromaDepth <= 14 else { throw .malformed("parameter set") }
      try reader.skip(1)
      if try reader.flag() { try Self.skipScaling(&reader, lists: chroma == 3 ? 12 : 8) }
    }
    frameBits = try reader.unsigned() + 4
    try readOrder(&reader)
    guard frameBits <= 16, orderBits <= 16 else { throw .malformed("parameter set") }
    _ = try reader.unsigned()
    try reader.skip(1)
    let columns = try reader.unsigned() + 1
    let rows = try reader.unsigned() + 1
    let isFrames = try reader.flag()
    hasFields = !isFrames
    if !isFrames { try reader.skip(1) }
    try reader.skip(1)
    let fields = isFrames ? 1 : 2
    guard columns <= 4096, rows <= 4096 else { throw .tooLarge("picture") }
    let unitX = chroma == 0 || isSeparate || chroma == 3 ? 1 : 2
    let unitY = (chroma == 1 && !isSeparate ? 2 : 1) * fields
    let crop = try Self.crop(&reader)
    try set(columns * 16, rows * 16 * fields, crop, unitX, unitY)
  }

  /// Reads a sequence parameter set of HEVC (§7.3.2.2).
  init(hevc unit: ArraySlice<UInt8>) throws(StreamError) {
    var reader = BitReader(unescaping: unit)
    try reader.skip(16 + 4)
    layers = try reader.bits(3) + 1
    isNested = try reader.flag()
    try Self.skipProfile(&reader, layers: layers)
    id = try reader.unsigned()
    chroma = try reader.unsigned()
    guard chroma <= 3 else { throw .malformed("parameter set") }
    isSeparate = chroma == 3 ? try reader.flag() : false
    let columns = try reader.unsigned()
    let rows = try reader.unsigned()
    guard columns <= 65_535, rows <= 65_535 else { throw .tooLarge("picture") }
    let crop = try Self.crop(&reader)
    lumaDepth = try reader.unsigned() + 8
    chromaDepth = try reader.unsigned() + 8
    guard lumaDepth <= 16, chromaDepth <= 16 else { throw .malformed("parameter set") }
    orderBits = try reader.unsigned() + 4
    guard orderBits <= 16 else { throw .malformed("parameter set") }
    let isHalf = !isSeparate && (chroma == 1 || chroma == 2)
    try set(columns, rows, crop, isHalf ? 2 : 1, !isSeparate && chroma == 1 ? 2 : 1)
  }

  /// The profiles whose sequence parameter sets contain chroma format and bit depths (H.264
  /// §7.3.2.1.1).
  static let highProfiles: Set<Int> = [
    100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135,
  ]

  private mutating func set(
    _ width: Int, _ height: Int, _ crop: [Int], _ unitX: Int, _ unitY: Int
  ) throws(StreamError) {
    self.width = width - (crop[0] + crop[1]) * unitX
    self.height = height - (crop[2] + crop[3]) * unitY
    guard self.width > 0, self.height > 0 else { throw .malformed("parameter set") }
  }

  /// Reads how much is cropped from the picture: left, right, top, bottom.
  private static func crop(_ reader: inout BitReader) throws(StreamError) -> [Int] {
    guard try reader.flag() else { return [0, 0, 0, 0] }
    var crop: [Int] = []
    for _ in 0..<4 { crop.append(try reader.unsigned()) }
    return crop
  }

  private static func skipScaling(_ reader: inout BitReader, lists: Int) throws(StreamError) {
    for list in 0..<lists where try reader.flag() {
      var (last, next) = (8, 8)
      for _ in 0..<(list < 6 ? 16 : 64) where next != 0 {
        next = (last + (try reader.signed()) + 256) & 255
        if next != 0 { last = next }
      }
    }
  }

  private mutating func readOrder(_ reader: inout BitReader) throws(StreamError) {
    orderKind = try reader.unsigned()
    switch orderKind {
    case 0: orderBits = try reader.unsigned() + 4
    case 1:
      try reader.skip(1)
      _ = try reader.signed()
      _ = try reader.signed()
      let count = try reader.unsigned()
      guard count <= 255 else { throw .malformed("parameter set") }
      for _ in 0..<count { _ = try reader.signed() }
    default: break
    }
  }

  /// Skips profile, tier and level (HEVC §7.3.3).
  private static func skipProfile(_ reader: inout BitReader, layers: Int) throws(StreamError) {
    try reader.skip(96)
    var sizes: [Int] = []
    for _ in 1..<max(1, layers) {
      sizes.append((try reader.flag() ? 88 : 0) + (try reader.flag() ? 8 : 0))
    }
    if layers > 1 { try reader.skip((9 - layers) * 2) }
    for size in sizes { try reader.skip(size) }
  }
}
