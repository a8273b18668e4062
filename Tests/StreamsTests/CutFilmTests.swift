import Foundation
import TestSupport
import Testing

@testable import Streams

/// A transport stream may be cut anywhere, and its packets may hold several pictures or parts of one.
/// No picture and no sound is lost or changed.
@Suite(.timeLimit(.minutes(10)), .enabled(if: Broadcast.isPossible, "ffmpeg is not installed"))
struct CutFilmTests {
  private static let seconds = 4

  /// How a film is made, and how its pictures and sounds lie in packets.
  struct Kind: CustomTestStringConvertible, Sendable {
    var name: String
    var picture: [String] = []
    var sound: [String] = []
    var codec: SoundFrame.Codec?
    var rate = 48_000
    var packing: (picture: Remux.Packing, sound: Remux.Packing)?
    var tablesAt = 0
    /// The second at which the sound begins.
    var soundAt = 0

    var testDescription: String { name }
  }

  private static let h264 = ["-c:v", "libx264", "-preset", "veryfast", "-g", "25"]
  private static let b3 = h264 + ["-bf", "3", "-b_strategy", "0"]
  private static let open = b3 + ["-x264-params", "open-gop=1:b-pyramid=normal"]
  private static let interlaced = b3 + ["-flags", "+ilme+ildct", "-x264-params", "tff=1"]
  private static let hevc = [
    "-c:v", "libx265", "-preset", "ultrafast", "-x265-params",
    "log-level=none:keyint=25:bframes=3:open-gop=1",
  ]
  private static let aac = ["-c:a", "aac", "-b:a", "96k"]

  static let kinds: [Kind] = [
    Kind(name: "no B pictures, AAC", picture: h264 + ["-bf", "0"], sound: aac, codec: .aac),
    Kind(
      name: "B pictures, a frame of AAC in a packet", picture: b3,
      sound: aac + ["-pes_payload_size", "0"], codec: .aac),
    Kind(
      name: "open groups, MP3", picture: open, sound: ["-c:a", "libmp3lame"], codec: .mpegAudio),
    Kind(name: "interlaced, MP2", picture: interlaced, sound: ["-c:a", "mp2"], codec: .mpegAudio),
    Kind(name: "HEVC with open groups, AC-3", picture: hevc, sound: ["-c:a", "ac3"], codec: .ac3),
    Kind(name: "B pictures, E-AC-3", picture: b3, sound: ["-c:a", "eac3"], codec: .eac3),
    Kind(
      name: "three pictures in a packet", picture: b3, sound: aac, codec: .aac,
      packing: (.several(3), .asTheyAre)),
    Kind(
      name: "twelve pictures in a packet, HEVC", picture: hevc, sound: aac, codec: .aac,
      packing: (.several(12), .several(40))),
    Kind(
      name: "a picture in three packets", picture: open, sound: aac, codec: .aac,
      packing: (.parts(3), .parts(2))),
    Kind(
      name: "packets of 1500 bytes", picture: b3, sound: ["-c:a", "ac3"], codec: .ac3,
      packing: (.bytes(1500), .bytes(500))),
    Kind(
      name: "packets of 30000 bytes", picture: interlaced, sound: ["-c:a", "mp2"],
      codec: .mpegAudio, packing: (.bytes(30_000), .bytes(2000))),
    Kind(
      name: "late tables, AAC of 44.1 kHz", picture: open, sound: aac, codec: .aac,
      rate: 44_100, packing: (.asTheyAre, .bytes(700)), tablesAt: 30_000),
    Kind(
      name: "seven pictures in a packet, open groups", picture: open, sound: ["-c:a", "eac3"],
      codec: .eac3, packing: (.several(7), .bytes(1000))),
    Kind(
      name: "HEVC in packets of 4000 bytes, MP3", picture: hevc, sound: ["-c:a", "libmp3lame"],
      codec: .mpegAudio, packing: (.bytes(4000), .asTheyAre)),
    Kind(
      name: "a picture in two packets, HEVC", picture: hevc, sound: aac, codec: .aac,
      packing: (.parts(2), .several(20))),
    Kind(
      name: "no B pictures, five in a packet", picture: h264 + ["-bf", "0"],
      sound: ["-c:a", "mp2"], codec: .mpegAudio, packing: (.several(5), .parts(3))),
    Kind(
      name: "interlaced, a picture in four packets", picture: interlaced, sound: aac, codec: .aac,
      packing: (.parts(4), .bytes(300))),
    Kind(
      name: "interlaced, late tables", picture: interlaced, sound: ["-c:a", "ac3"], codec: .ac3,
      packing: (.several(2), .parts(2)), tablesAt: 20_000),
    Kind(
      name: "slices, packets of 700 bytes", picture: b3 + ["-slices", "4"], sound: aac,
      codec: .aac, packing: (.bytes(700), .asTheyAre)),
    Kind(
      name: "slices, as they are", picture: open + ["-slices", "3"], sound: ["-c:a", "libmp3lame"],
      codec: .mpegAudio),
    Kind(
      name: "sound alone, packets of 900 bytes", sound: ["-c:a", "ac3"], codec: .ac3,
      packing: (.asTheyAre, .bytes(900))),
    Kind(name: "sound that begins late", picture: b3, sound: aac, codec: .aac, soundAt: 2),
    Kind(name: "sound alone", sound: aac, codec: .aac),
    Kind(name: "a picture alone", picture: open),
  ]

  enum Cut: String, CaseIterable, Sendable { case packets, pictures, bytes }

  private func source(_ kind: Kind, _ broadcast: Broadcast) throws -> [UInt8] {
    var words: [String] = []
    let seconds = Self.seconds
    if !kind.picture.isEmpty {
      words += ["-f", "lavfi", "-i", "testsrc2=size=160x120:rate=25:duration=\(seconds)"]
    }
    if !kind.sound.isEmpty {
      if kind.soundAt > 0 { words += ["-itsoffset", "\(kind.soundAt)"] }
      words += [
        "-f", "lavfi", "-i", "anoisesrc=seed=7:amplitude=0.3:r=\(kind.rate):duration=\(seconds)",
      ]
    }
    words += kind.picture + (kind.picture.isEmpty ? [] : ["-pix_fmt", "yuv420p"])
    try broadcast.run(words + kind.sound + ["-f", "mpegts", "source.ts"])
    let bytes = try broadcast.bytes("source.ts")
    guard let packing = kind.packing else { return bytes }
    return try Remux(bytes, sound: kind.codec)
      .stream(packing.picture, packing.sound, tablesAt: kind.tablesAt)
  }

  /// The places where a stream is cut.
  private func cuts(_ cut: Cut, of bytes: [UInt8], _ random: inout SeededRandom) -> [Int] {
    switch cut {
    case .packets: return (1..<12).map { bytes.count / 12 / 188 * 188 * $0 }
    case .bytes: return Set((0..<40).map { _ in 1 + random.below(bytes.count - 1) }).sorted()
    case .pictures:
      let stream = 0x100
      let starts = stride(from: 0, to: bytes.count, by: 188).filter { place in
        TransportPacket(bytes[...], at: place).map { $0.stream == stream && $0.isStart } ?? false
      }
      return starts.enumerated().filter { $0.offset % 7 == 3 }.map(\.element)
    }
  }

  /// A run has some of them, and a full count has all.
  private static let some = Scale.cases(6, of: kinds)

  @Test(arguments: some, Cut.allCases)
  func picturesAndSoundsAreThoseOfTheStream(_ kind: Kind, _ cut: Cut) throws {
    let broadcast = try Broadcast()
    let bytes = try source(kind, broadcast)
    try broadcast.write(bytes, to: "origin.ts")
    var random = SeededRandom(seed: 11)
    let film = try CutFilm(bytes, cuts: cuts(cut, of: bytes, &random), seconds: Self.seconds)
    let (file, behind, requests) = try film.file()
    print(
      "\(kind.name), \(cut): \(film.segments.count) segments, \(bytes.count) bytes; layout"
        + " \(film.asked), behind \(behind) by \(requests), film \(file.count)")
    try broadcast.write(file, to: "film.mkv")
    var shifts: [Double] = []
    for stream in ["v", "a"] where !(stream == "v" ? kind.picture : kind.sound).isEmpty {
      let made = try broadcast.frames(stream, of: "film.mkv")
      let given = try broadcast.frames(stream, of: "origin.ts")
      // Where packets tell no times, those are the times of the source.
      let told = try broadcast.frames(stream, of: "source.ts")
      #expect(made.map(\.hash) == given.map(\.hash), "\(stream): \(made.count) for \(given.count)")
      guard made.count == told.count, let first = made.first, let own = told.first else {
        Issue.record("\(stream): \(made.count) for \(told.count)")
        continue
      }
      let shift = first.seconds - own.seconds
      shifts.append(shift)
      let worst = zip(made, told).map { abs($0.seconds - $1.seconds - shift) }.max() ?? 0
      #expect(worst < 0.0011, "\(stream): a time is off by \(worst)")
    }
    if shifts.count == 2 { #expect(abs(shifts[0] - shifts[1]) < 0.0016, "\(shifts)") }
  }

  /// The next segment has not the rest of it.
  @Test func aPacketThatNoSegmentEndsIsTold() throws {
    let kind = try #require(Self.kinds.first { $0.name == "sound alone" })
    let bytes = try source(kind, Broadcast())
    let packet = bytes.count / 2 / SegmentEdge.packet * SegmentEdge.packet
    let film = try CutFilm(
      [Array(bytes[..<(packet + 100)]), Array(bytes[(packet + SegmentEdge.packet)...])],
      seconds: Self.seconds)
    let made = try SlotBytes(film.layout, slot: 0).made(of: film.segments[0], key: nil) {
      next, range throws(StreamFault) in
      film.segments[film.layout.fragments[next].resource][range]
    }
    #expect(made.bytes.count == film.layout.fragments[0].slot)
    #expect(made.balance.unclaimed >= 100)
  }
}

extension Broadcast {
  /// One frame as a decoder made it.
  struct Frame: Equatable {
    let seconds: Double
    let hash: Substring
  }

  func frames(_ kind: String, of name: String) throws -> [Frame] {
    var words = ["ffmpeg", "-v", "error", "-copyts", "-i", path(of: name), "-map", "0:\(kind):0"]
    if kind == "v" { words += ["-vsync", "0", "-enc_time_base", "-1"] }
    let outcome = try ChildProcess.run(words + ["-f", "framemd5", "-"], timeout: .seconds(100))
    guard outcome.status == 0 else { throw TestToolError("\(name): \(outcome.err)") }
    var base = 1.0
    var frames: [Frame] = []
    for line in outcome.out.split(separator: "\n") {
      if line.hasPrefix("#tb 0: ") {
        let parts = line.dropFirst(7).split(separator: "/").compactMap { Double($0) }
        base = parts[0] / parts[1]
      } else if !line.hasPrefix("#") {
        let cells = line.split(separator: ",").map { $0.drop { $0 == " " } }
        frames.append(Frame(seconds: (Double(cells[2]) ?? .nan) * base, hash: cells[5]))
      }
    }
    return frames
  }
}
