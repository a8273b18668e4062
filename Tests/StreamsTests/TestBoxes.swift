/// Writes boxes in the shapes of several packagers.
enum TestBoxes {
  static func number(_ value: Int, _ width: Int) -> [UInt8] {
    (0..<width).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  static func words(_ values: Int...) -> [UInt8] { values.flatMap { number($0, 4) } }

  static func box(_ type: String, _ parts: [UInt8]...) -> [UInt8] {
    let body = Array(parts.joined())
    return number(body.count + 8, 4) + Array(type.utf8) + body
  }

  static func full(
    _ type: String, _ version: Int = 0, _ flags: Int = 0, _ parts: [UInt8]...
  ) -> [UInt8] {
    box(type, number(version << 24 | flags, 4), Array(parts.joined()))
  }

  // MARK: A head

  struct Track {
    var id = 1
    var timescale = 1000
    var handler = "vide"
    var entry = TestBoxes.avc
    /// The entries of its edit list: duration in the movie's timescale of 1000, and media time.
    var edits: [(Int, Int)] = []
    /// Whether these numbers have 64 bits.
    var hasLongEdits = false
    var language = "deu"
    var defaults = SampleDefaultsShape()
    /// The boxes that name samples outside of fragments.
    var tables: [UInt8] = []
  }

  struct SampleDefaultsShape {
    var duration = 40
    var size = 10
    var flags = 0
  }

  static let avc = box(
    "avc1", [UInt8](repeating: 0, count: 24), number(320, 2), number(180, 2),
    [UInt8](repeating: 0, count: 50), box("avcC", [1, 2, 3]))

  static func sound(
    _ type: String, channels: Int = 2, rate: Int = 48_000, _ configuration: [UInt8] = []
  ) -> [UInt8] {
    box(
      type, [UInt8](repeating: 0, count: 16), number(channels, 2), [0, 16, 0, 0, 0, 0],
      number(rate, 2), [0, 0], configuration)
  }

  static func trak(_ track: Track) -> [UInt8] {
    let letters = Array(track.language.utf8).map { Int($0) - 0x60 }
    let code = letters.reduce(0) { $0 << 5 | $1 }
    let width = track.hasLongEdits ? 8 : 4
    let edits = track.edits.map { number($0.0, width) + number($0.1, width) + words(0x10000) }
    return box(
      "trak",
      full("tkhd", 0, 3, words(0, 0, track.id, 0, 0), [UInt8](repeating: 0, count: 60)),
      track.edits.isEmpty
        ? []
        : box(
          "edts", full("elst", width / 8, 0, words(track.edits.count), Array(edits.joined()))),
      box(
        "mdia", full("mdhd", 0, 0, words(0, 0, track.timescale, 0), number(code, 2), [0, 0]),
        full("hdlr", 0, 0, words(0), Array(track.handler.utf8), [UInt8](repeating: 0, count: 13)),
        box("minf", box("stbl", full("stsd", 0, 0, words(1), track.entry), track.tables))))
  }

  static func moov(
    _ tracks: [Track], isExtendedFirst: Bool = false, more: [UInt8] = []
  ) -> [UInt8] {
    let traks = Array(tracks.map(trak).joined())
    let extends = box(
      "mvex",
      Array(
        tracks.map { track in
          let defaults = track.defaults
          return full(
            "trex", 0, 0, words(track.id, 1, defaults.duration, defaults.size, defaults.flags))
        }.joined()))
    return box(
      "moov", full("mvhd", 0, 0, words(0, 0, 1000, 0), [UInt8](repeating: 0, count: 80)),
      isExtendedFirst ? extends + traks : traks + extends, more)
  }

  static let brand = box("ftyp", Array("iso6".utf8), words(0), Array("iso6".utf8))

  // MARK: Fragments

  struct Run {
    var version = 0
    /// Size, duration, flags and composition of each sample.
    var samples: [(size: Int, duration: Int, flags: Int, composition: Int)]
    var offset: Int?
    var hasSizes = true
  }

  static func trun(_ run: Run, offset: Int?) -> [UInt8] {
    var flags = 0x100 | 0x400 | 0x800
    if run.hasSizes { flags |= 0x200 }
    if offset != nil { flags |= 1 }
    return full(
      "trun", run.version, flags, words(run.samples.count), offset.map { number($0, 4) } ?? [],
      Array(
        run.samples.map { sample in
          words(sample.duration) + (run.hasSizes ? words(sample.size) : [])
            + words(sample.flags, sample.composition)
        }.joined()))
  }

  /// A `moof` with one track whose data offset leads behind the box, and its `mdat`.
  static func fragment(
    track: Int = 1, time: Int?, _ run: Run, headerFlags: Int = 0x2_0000, header: [UInt8] = []
  ) -> [UInt8] {
    func moof(_ offset: Int) -> [UInt8] {
      box(
        "moof", full("mfhd", 0, 0, words(1)),
        box(
          "traf", full("tfhd", 0, headerFlags, words(track), header),
          time.map { full("tfdt", 1, 0, number($0, 8)) } ?? [], trun(run, offset: offset)))
    }
    let size = moof(0).count
    let data = run.samples.enumerated().flatMap { number, sample in
      [UInt8](repeating: UInt8(truncatingIfNeeded: number + 1), count: sample.size)
    }
    return moof(size + 8) + box("mdat", data)
  }

  static func sidx(
    track: Int = 1, timescale: Int = 1000, earliest: Int = 0, gap: Int = 0,
    _ references: [(size: Int, duration: Int, isIndex: Bool)]
  ) -> [UInt8] {
    full(
      "sidx", 1, 0, words(track, timescale), number(earliest, 8), number(gap, 8), [0, 0],
      number(references.count, 2),
      Array(
        references.map { words($0.size | ($0.isIndex ? 1 << 31 : 0), $0.duration, 1 << 31) }
          .joined()))
  }

  /// A whole file of two fragments of five pictures each.
  static func film(
    tracks: [Track] = [Track()], times: [Int?] = [0, 200], hasIndex: Bool = true
  ) -> [UInt8] {
    let run = Run(
      samples: (0..<5).map { (10 + $0, 40, $0 == 0 ? 0x200_0000 : 0x101_0000, 0) })
    let fragments = times.map { fragment(time: $0, run) }
    let index = hasIndex ? sidx(fragments.map { ($0.count, 200, false) }) : []
    return brand + moov(tracks) + index + fragments.joined()
  }
}
