/// A fragmented MP4: a picture of H.264 in two fragments of three samples.
enum FragmentedFile {
  static let whole = file()

  /// Returns the bytes of such a file.
  ///
  /// - Parameters:
  ///   - slack: bytes behind the last sample.
  ///   - hasIndex: whether an index names the fragments.
  ///   - sample: bytes of the first sample of a fragment. The next ones have one more each.
  static func file(slack: Int = 0, hasIndex: Bool = false, sample: Int = 500) -> [UInt8] {
    let entry = box(
      "avc1", zeros(24), number(320, 2), number(180, 2), zeros(50), box("avcC", [1, 2, 3]))
    let tables = box("minf", box("stbl", box("stsd", zeros(4), number(1), entry)))
    let trak = box(
      "trak", box("tkhd", number(3), zeros(8), number(1), zeros(68)),
      box(
        "mdia", box("mdhd", zeros(12), number(1000), zeros(8)),
        box("hdlr", zeros(8), Array("vide".utf8), zeros(13)), tables))
    let moov = box(
      "moov", box("mvhd", zeros(12), number(1000), zeros(84)), trak,
      box("mvex", box("trex", zeros(4), number(1), number(1), zeros(12))))
    let fragments = (0..<2).map { fragment($0, slack: $0 == 1 ? slack : 0, sample) }
    let references = fragments.flatMap { number($0.count) + number(120) + number(0x9000_0000) }
    let index = box(
      "sidx", zeros(4), number(1), number(1000), zeros(8), number(0, 2), number(2, 2), references)
    return box("ftyp", Array("iso6".utf8), number(0)) + moov + (hasIndex ? index : [])
      + fragments.joined()
  }

  private static func fragment(_ place: Int, slack: Int, _ sample: Int) -> [UInt8] {
    func moof(_ offset: Int) -> [UInt8] {
      let samples = (0..<3).flatMap { number(sample + $0) }
      let run = number(0x201) + number(3) + number(offset) + samples
      let traf = box(
        "traf", box("tfhd", number(0x2_0008), number(1), number(40)),
        box("tfdt", zeros(4), number(120 * place)), box("trun", run))
      return box("moof", box("mfhd", zeros(8)), traf)
    }
    return moof(moof(0).count + 8)
      + box("mdat", (0..<3 * sample + 3 + slack).map { UInt8(truncatingIfNeeded: $0) })
  }

  /// Files of which no film can be made.
  static let cuts: [(name: String, bytes: [UInt8])] = [
    ("in the media", whole.dropLast(100)),
    ("in a moof", whole.dropLast(1503 + 8 + 20)),
    ("in a header", whole.dropLast(1503 + 3)),
    ("media behind", whole + box("mdat", zeros(200))),
    ("bytes that no sample has", file(slack: 77)),
  ].map { ($0.0, Array($0.1)) }

  private static func number(_ value: Int, _ width: Int = 4) -> [UInt8] {
    (0..<width).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  private static func box(_ type: String, _ parts: [UInt8]...) -> [UInt8] {
    let body = Array(parts.joined())
    return number(body.count + 8) + Array(type.utf8) + body
  }

  private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
}
