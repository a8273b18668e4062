/// A fragmented MP4: a picture of H.264 in fragments of three samples.
enum FragmentedFile {
  static let whole = file()

  /// Returns the bytes of such a file.
  ///
  /// - Parameters:
  ///   - count: fragments of it.
  ///   - slack: bytes behind the last sample.
  ///   - hasIndex: whether an index names the fragments.
  ///   - sample: bytes of the first sample of a fragment. The next ones have one more each.
  ///   - duration: milliseconds of a sample.
  ///   - hasSound: whether three samples of MP3, of 1000 bytes each, lie behind those of the picture.
  static func file(
    count: Int = 2, slack: Int = 0, hasIndex: Bool = false, sample: Int = 500, duration: Int = 40,
    hasSound: Bool = false
  ) -> [UInt8] {
    let entry = box(
      "avc1", zeros(24), number(320, 2), number(180, 2), zeros(50), box("avcC", [1, 2, 3]))
    let sound = box(".mp3", zeros(16), number(2, 2), zeros(6), number(48_000, 2), zeros(2))
    let traks = trak(1, "vide", entry) + (hasSound ? trak(2, "soun", sound) : [])
    let defaults = (1...(hasSound ? 2 : 1)).flatMap {
      box("trex", zeros(4), number($0), number(1), zeros(12))
    }
    let moov = box(
      "moov", box("mvhd", zeros(12), number(1000), zeros(84)), traks, box("mvex", defaults))
    let fragments = (0..<count).map {
      fragment($0, slack: $0 == count - 1 ? slack : 0, sample, duration, hasSound)
    }
    let references = fragments.flatMap {
      number($0.count) + number(3 * duration) + number(0x9000_0000)
    }
    let index = box(
      "sidx", zeros(4), number(1), number(1000), zeros(8), number(0, 2), number(count, 2),
      references)
    return box("ftyp", Array("iso6".utf8), number(0)) + moov + (hasIndex ? index : [])
      + fragments.joined()
  }

  private static func fragment(
    _ place: Int, slack: Int, _ sample: Int, _ duration: Int, _ hasSound: Bool
  ) -> [UInt8] {
    func traf(_ track: Int, _ offset: Int, _ samples: [Int]) -> [UInt8] {
      let run = number(0x201) + number(3) + number(offset) + samples.flatMap { number($0) }
      return box(
        "traf", box("tfhd", number(0x2_0008), number(track), number(duration)),
        box("tfdt", zeros(4), number(3 * duration * place)), box("trun", run))
    }
    let pictures = 3 * sample + 3
    func moof(_ offset: Int) -> [UInt8] {
      box(
        "moof", box("mfhd", zeros(8)), traf(1, offset, [sample, sample + 1, sample + 2]),
        hasSound ? traf(2, offset + pictures, [1000, 1000, 1000]) : [])
    }
    let media = 0..<pictures + (hasSound ? 3000 : 0) + slack
    return moof(moof(0).count + 8) + box("mdat", media.map { UInt8(truncatingIfNeeded: $0) })
  }

  private static func trak(_ id: Int, _ handler: String, _ entry: [UInt8]) -> [UInt8] {
    let tables = box("minf", box("stbl", box("stsd", zeros(4), number(1), entry)))
    return box(
      "trak", box("tkhd", number(3), zeros(8), number(id), zeros(68)),
      box(
        "mdia", box("mdhd", zeros(12), number(1000), zeros(8)),
        box("hdlr", zeros(8), Array(handler.utf8), zeros(13)), tables))
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
