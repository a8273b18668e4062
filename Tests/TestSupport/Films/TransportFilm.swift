import FoundationEssentials

/// A film in a transport stream, and how its pictures and sounds lie in packets.
package struct TransportFilm: CustomStringConvertible, Sendable {
  package var name: String
  /// The arguments of ffmpeg for the picture and for the sound; none: it has none.
  private var picture: [String] = []
  private var sound: [String] = []
  private var codec: SoundHeader.Codec?
  private var rate = 48_000
  private var packing: (picture: Remux.Packing, sound: Remux.Packing)?
  private var tablesAt = 0
  /// The second at which the sound begins.
  private var soundAt = 0

  package static let seconds = 4

  package var description: String { name }

  package var kinds: [DecodedFrame.Kind] {
    (picture.isEmpty ? [] : [.picture]) + (sound.isEmpty ? [] : [.sound])
  }

  /// Makes the film in a folder, and returns its bytes.
  ///
  /// `source.ts` is what ffmpeg makes: each packet tells a time. `origin.ts` is the film.
  package func make(in folder: String) throws -> [UInt8] {
    var words = ["ffmpeg", "-nostdin", "-v", "error", "-y", "-bitexact"]
    if !picture.isEmpty {
      words += ["-f", "lavfi", "-i", "testsrc2=size=160x120:rate=25:duration=\(Self.seconds)"]
    }
    if !sound.isEmpty {
      if soundAt > 0 { words += ["-itsoffset", "\(soundAt)"] }
      let noise = "anoisesrc=seed=7:amplitude=0.3:r=\(rate):duration=\(Self.seconds)"
      words += ["-f", "lavfi", "-i", noise]
    }
    words += picture + (picture.isEmpty ? [] : ["-pix_fmt", "yuv420p"])
    words += sound + ["-f", "mpegts", folder + "/source.ts"]
    let outcome = try ChildProcess.run(words, timeout: .seconds(100))
    guard outcome.status == 0 else { throw TestToolError("\(name): \(outcome.err)") }
    var bytes = Array(try Data(contentsOf: URL(filePath: folder + "/source.ts")))
    if let packing {
      bytes = Remux(bytes, hasPicture: !picture.isEmpty, sound: codec)
        .stream(packing.picture, packing.sound, tablesAt: tablesAt)
    }
    try Data(bytes).write(to: URL(filePath: folder + "/origin.ts"))
    return bytes
  }

  /// The kinds of places where a stream is cut into segments.
  package enum Cut: String, CaseIterable, Sendable {
    case packets, pictures, bytes

    /// Returns the places in a stream, in order.
    package func places(in bytes: [UInt8], _ random: inout SeededRandom) -> [Int] {
      switch self {
      case .packets: return (1..<12).map { bytes.count / 12 / 188 * 188 * $0 }
      case .bytes: return Set((0..<40).map { _ in 1 + random.below(bytes.count - 1) }).sorted()
      case .pictures:
        let starts = stride(from: 0, to: bytes.count, by: 188).filter { place in
          bytes[place + 1] & 0x5F == 0x41 && bytes[place + 2] == 0
        }
        return starts.enumerated().filter { $0.offset % 7 == 3 }.map(\.element)
      }
    }
  }
}

extension TransportFilm {
  private static let h264 = ["-c:v", "libx264", "-preset", "veryfast", "-g", "25"]
  private static let b3 = h264 + ["-bf", "3", "-b_strategy", "0"]
  private static let open = b3 + ["-x264-params", "open-gop=1:b-pyramid=normal"]
  private static let interlaced = b3 + ["-flags", "+ilme+ildct", "-x264-params", "tff=1"]
  private static let hevc = [
    "-c:v", "libx265", "-preset", "ultrafast", "-x265-params",
    "log-level=none:keyint=25:bframes=3:open-gop=1",
  ]
  private static let aac = ["-c:a", "aac", "-b:a", "96k"]

  package static let all: [TransportFilm] = [
    TransportFilm(
      name: "no B pictures, AAC", picture: h264 + ["-bf", "0"], sound: aac, codec: .aac),
    TransportFilm(
      name: "B pictures, a frame of AAC in a packet", picture: b3,
      sound: aac + ["-pes_payload_size", "0"], codec: .aac),
    TransportFilm(
      name: "open groups, MP3", picture: open, sound: ["-c:a", "libmp3lame"], codec: .mpegAudio),
    TransportFilm(
      name: "interlaced, MP2", picture: interlaced, sound: ["-c:a", "mp2"], codec: .mpegAudio),
    TransportFilm(
      name: "HEVC with open groups, AC-3", picture: hevc, sound: ["-c:a", "ac3"], codec: .ac3),
    TransportFilm(name: "B pictures, E-AC-3", picture: b3, sound: ["-c:a", "eac3"], codec: .eac3),
    TransportFilm(
      name: "three pictures in a packet", picture: b3, sound: aac, codec: .aac,
      packing: (.several(3), .asTheyAre)),
    TransportFilm(
      name: "twelve pictures in a packet, HEVC", picture: hevc, sound: aac, codec: .aac,
      packing: (.several(12), .several(40))),
    TransportFilm(
      name: "a picture in three packets", picture: open, sound: aac, codec: .aac,
      packing: (.parts(3), .parts(2))),
    TransportFilm(
      name: "packets of 1500 bytes", picture: b3, sound: ["-c:a", "ac3"], codec: .ac3,
      packing: (.bytes(1500), .bytes(500))),
    TransportFilm(
      name: "packets of 30000 bytes", picture: interlaced, sound: ["-c:a", "mp2"],
      codec: .mpegAudio, packing: (.bytes(30_000), .bytes(2000))),
    TransportFilm(
      name: "late tables, AAC of 44.1 kHz", picture: open, sound: aac, codec: .aac,
      rate: 44_100, packing: (.asTheyAre, .bytes(700)), tablesAt: 30_000),
    TransportFilm(
      name: "seven pictures in a packet, open groups", picture: open, sound: ["-c:a", "eac3"],
      codec: .eac3, packing: (.several(7), .bytes(1000))),
    TransportFilm(
      name: "HEVC in packets of 4000 bytes, MP3", picture: hevc, sound: ["-c:a", "libmp3lame"],
      codec: .mpegAudio, packing: (.bytes(4000), .asTheyAre)),
    TransportFilm(
      name: "a picture in two packets, HEVC", picture: hevc, sound: aac, codec: .aac,
      packing: (.parts(2), .several(20))),
    TransportFilm(
      name: "no B pictures, five in a packet", picture: h264 + ["-bf", "0"],
      sound: ["-c:a", "mp2"], codec: .mpegAudio, packing: (.several(5), .parts(3))),
    TransportFilm(
      name: "interlaced, a picture in four packets", picture: interlaced, sound: aac, codec: .aac,
      packing: (.parts(4), .bytes(300))),
    TransportFilm(
      name: "interlaced, late tables", picture: interlaced, sound: ["-c:a", "ac3"], codec: .ac3,
      packing: (.several(2), .parts(2)), tablesAt: 20_000),
    TransportFilm(
      name: "slices, packets of 700 bytes", picture: b3 + ["-slices", "4"], sound: aac,
      codec: .aac, packing: (.bytes(700), .asTheyAre)),
    TransportFilm(
      name: "slices, as they are", picture: open + ["-slices", "3"], sound: ["-c:a", "libmp3lame"],
      codec: .mpegAudio),
    TransportFilm(
      name: "sound alone, packets of 900 bytes", sound: ["-c:a", "ac3"], codec: .ac3,
      packing: (.asTheyAre, .bytes(900))),
    TransportFilm(name: "sound that begins late", picture: b3, sound: aac, codec: .aac, soundAt: 2),
    TransportFilm(name: "sound alone", sound: aac, codec: .aac),
    TransportFilm(name: "a picture alone", picture: open),
  ]
}
