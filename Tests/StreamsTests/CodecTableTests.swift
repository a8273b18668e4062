import Foundation
import TestSupport
import Testing

@testable import Streams

/// Each picture goes with each sound: apart, in one fragmented file, and in WebM.
@Suite(.timeLimit(.minutes(8)), .enabled(if: Films.isInstalled("ffmpeg"), "ffmpeg is missing"))
struct CodecTableTests {
  struct Codec: Sendable {
    let name: String
    let options: [String]
    let matroska: String
  }

  private static let pictures = [
    Codec(name: "h264", options: PackagedFilmTests.h264, matroska: "V_MPEG4/ISO/AVC"),
    Codec(
      name: "hevc", options: ["libx265", "-preset", "ultrafast", "-x265-params", "log-level=none"],
      matroska: "V_MPEGH/ISO/HEVC"),
    Codec(name: "av1", options: ["libsvtav1", "-preset", "12"], matroska: "V_AV1"),
    Codec(
      name: "vp9", options: ["libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8"],
      matroska: "V_VP9"),
  ]
  private static let sounds = [
    Codec(name: "aac", options: ["aac"], matroska: "A_AAC"),
    Codec(name: "mp3", options: ["libmp3lame"], matroska: "A_MPEG/L3"),
    Codec(name: "opus", options: ["libopus"], matroska: "A_OPUS"),
    Codec(name: "ac3", options: ["ac3"], matroska: "A_AC3"),
    Codec(name: "eac3", options: ["eac3"], matroska: "A_EAC3"),
    Codec(name: "flac", options: ["flac", "-strict", "-2"], matroska: "A_FLAC"),
  ]

  /// Every picture and sound is in a run's sample; a full count has all pairs.
  private static let pairs = Scale.cases(
    8, of: pictures.flatMap { picture in sounds.map { (picture, $0) } })

  private let films: Films

  init() throws {
    films = try Films()
    for codec in Self.pictures {
      _ = try films.source("\(codec.name).mp4", video: codec.options, audio: nil)
    }
    for codec in Self.sounds {
      _ = try films.source("\(codec.name).mp4", video: nil, audio: codec.options)
    }
  }

  /// The frames of each source, decoded once.
  private func given(_ kind: String, _ codecs: [Codec]) throws -> [String: [Films.Frame]] {
    var all: [String: [Films.Frame]] = [:]
    for codec in codecs { all[codec.name] = try films.frames(kind, of: "\(codec.name).mp4") }
    return all
  }

  private func compare(
    _ name: String, _ picture: [Films.Frame], _ sound: [Films.Frame]
  ) throws {
    let pictures = try films.frames("v", of: "\(name).mkv")
    #expect(pictures.map(\.hash) == picture.map(\.hash), "\(name)")
    let sounds = try films.frames("a", of: "\(name).mkv")
    let middle = sound.count / 2
    let place = try #require(sounds.firstIndex { $0.hash == sound[middle].hash }, "\(name)")
    let first = place - middle
    #expect(abs(first) <= 2 && abs(sounds.count - sound.count) <= 3, "\(name)")
    for number in 3..<sound.count - 3 where sounds[number + first].hash != sound[number].hash {
      Issue.record("\(name): sound \(number)")
      return
    }
    // Picture and sound were made by one clock, each in a file that begins at its own begin.
    let apart =
      (pictures[picture.count / 2].seconds - picture[picture.count / 2].seconds)
      - (sounds[place].seconds - sound[middle].seconds)
    #expect(abs(apart) <= 0.001, "\(name): \(apart) s apart")
  }

  private func packed(_ name: String) throws -> (index: StrandIndex, bytes: [UInt8]) {
    let file = try films.copy(
      "\(name).mp4",
      [
        "-c", "copy", "-strict", "-2", "-movflags", "dash+global_sidx+frag_keyframe+delay_moov",
        "-frag_duration", "2000000", "-f", "mp4",
      ], to: "\(name)-packed.mp4")
    let bytes = try films.bytes(file)
    return (try Assembly.index(of: bytes).index, bytes)
  }

  @Test func eachPictureGoesWithEachSound() throws {
    let (pictures, sounds) = (try given("v", Self.pictures), try given("a", Self.sounds))
    let strands = try (Self.pictures + Self.sounds).map { ($0.name, try packed($0.name)) }
    let all = Dictionary(uniqueKeysWithValues: strands)
    for (picture, sound) in Self.pairs {
      let parts = [all[picture.name], all[sound.name]].compactMap(\.self)
      let layout = try films.make("pair", parts.map(\.index), parts.map(\.bytes))
      #expect(layout.tracks.map(\.description.codec) == [picture.matroska, sound.matroska])
      try compare("pair", pictures[picture.name] ?? [], sounds[sound.name] ?? [])
    }
  }

  /// In one file without an index, whose fragments are walked.
  @Test func eachPictureIsInOneFileWithEachSound() throws {
    let (pictures, sounds) = (try given("v", Self.pictures), try given("a", Self.sounds))
    for (picture, sound) in Self.pairs {
      try films.run([
        "ffmpeg", "-v", "error", "-y", "-i", films.path("\(picture.name).mp4"), "-i",
        films.path("\(sound.name).mp4"), "-map", "0:v", "-map", "1:a", "-c", "copy", "-strict",
        "-2", "-movflags", "frag_keyframe+delay_moov+default_base_moof", "-f", "mp4",
        films.path("one.mp4"),
      ])
      let bytes = try films.bytes("one.mp4")
      let index = try Assembly.index(of: bytes).index
      #expect(index.tracks.map(\.description.codec) == [picture.matroska, sound.matroska])
      try films.make("one", [index], [bytes])
      try compare("one", pictures[picture.name] ?? [], sounds[sound.name] ?? [])
    }
  }

  @Test(arguments: ["vp9", "av1"])
  func aPairOfWebMIsTakenOver(picture: String) throws {
    for (name, track) in [(picture, "0:v"), ("opus", "0:a")] {
      _ = try films.copy(
        "\(name).mp4",
        ["-map", track, "-c", "copy", "-dash", "1", "-cluster_time_limit", "2000"]
          + ["-cues_to_front", "1"], to: "\(name).webm")
    }
    let resources = try [picture, "opus"].map { try films.bytes("\($0).webm") }
    try films.make("webm", try resources.map { try Assembly.index(of: $0).index }, resources)
    try compare(
      "webm", try films.frames("v", of: "\(picture).webm"), try films.frames("a", of: "opus.webm"))
  }
}
