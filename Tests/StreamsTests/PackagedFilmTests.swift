import Foundation
import TestSupport
import Testing

@testable import Streams

/// Real streams of every shape become a file that decodes to the same pictures and sounds.
@Suite(.timeLimit(.minutes(10)), .enabled(if: Films.isInstalled("ffmpeg"), "ffmpeg is missing"))
struct PackagedFilmTests {
  private let films: Films

  init() throws {
    films = try Films()
  }

  static let h264 = ["libx264", "-preset", "ultrafast", "-bf", "2", "-b_strategy", "0"]
  private static let index = ["-movflags", "dash+global_sidx+frag_keyframe", "-f", "mp4"]
  private static let soundIndex = [
    "-movflags", "dash+global_sidx", "-frag_duration", "2000000", "-f", "mp4",
  ]
  /// The head is written after the first sounds, since some codecs are configured by them.
  private static let lateHead = ["-movflags", "dash+global_sidx+delay_moov"]

  // MARK: Codecs

  @Test(arguments: [
    ("h264", h264, "V_MPEG4/ISO/AVC"),
    (
      "hevc", ["libx265", "-preset", "ultrafast", "-x265-params", "log-level=none"],
      "V_MPEGH/ISO/HEVC"
    ),
    ("vp9", ["libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8"], "V_VP9"),
    ("av1", ["libsvtav1", "-preset", "12"], "V_AV1"),
  ])
  func picturesOfEachCodecStayEqual(name: String, options: [String], codec: String) throws {
    let source = try films.source("\(name).mp4", video: options, audio: ["aac"])
    let layout = try pair(source, as: name)
    #expect(layout.tracks.map(\.description.codec) == [codec, "A_AAC"])
    try films.expectEqualPictures(name, source)
    try films.expectEqualSounds(name, source)
    try films.expectSameDistance(name, "\(name)-v.mp4", "\(name)-a.mp4")
  }

  @Test(arguments: [
    ("aac", ["aac"], "A_AAC"), ("mp3", ["libmp3lame"], "A_MPEG/L3"),
    ("opus", ["libopus"], "A_OPUS"), ("ac3", ["ac3"], "A_AC3"), ("eac3", ["eac3"], "A_EAC3"),
    ("flac", ["flac", "-strict", "-2"], "A_FLAC"),
  ])
  func soundsOfEachCodecStayEqual(name: String, options: [String], codec: String) throws {
    let source = try films.source("s-\(name).mp4", video: Self.h264, audio: options)
    let layout = try pair(
      source, as: "s-\(name)", audio: Self.soundIndex + Self.lateHead)
    #expect(layout.tracks.map(\.description.codec) == ["V_MPEG4/ISO/AVC", codec])
    try films.expectEqualPictures("s-\(name)", source)
    try films.expectEqualSounds("s-\(name)", source)
    try films.expectSameDistance("s-\(name)", "s-\(name)-v.mp4", "s-\(name)-a.mp4")
  }

  @Test func soundAloneIsAFileToo() throws {
    let source = try films.source("alone.m4a", video: nil, audio: ["aac"], rate: 44_100)
    let sound = try films.copy(source, ["-c", "copy"] + Self.soundIndex, to: "alone.mp4")
    let bytes = try films.bytes(sound)
    try films.make("alone", [try Assembly.index(of: bytes).index], [bytes])
    try films.expectEqualSounds("alone", source)
  }

  // MARK: Shapes

  @Test func aPairWithAnIndexNeedsThreeRequestsAtMost() throws {
    let source = try films.source("pair.mp4", video: Self.h264, audio: ["aac"])
    let video = try films.copy(
      source,
      ["-map", "0:v", "-c", "copy", "-movflags", "dash+global_sidx+frag_keyframe+skip_trailer"],
      to: "pair-v.mp4")
    let audio = try films.copy(
      source, ["-map", "0:a", "-c", "copy"] + Self.soundIndex, to: "pair-a.mp4")
    let first = try Assembly.index(of: try films.bytes(video))
    let second = try Assembly.index(of: try films.bytes(audio))
    #expect(first.requests.count + second.requests.count <= 3)
    #expect(first.index.fragments.count == 4)
    #expect(abs(first.index.end - 8_000_000_000) < 100_000_000)
  }

  @Test func compositionsBelowZeroKeepTheTimesOfTheFile() throws {
    let source = try films.source("negative.mp4", video: Self.h264, audio: ["aac"])
    let options = ["-movflags", "dash+global_sidx+frag_keyframe+negative_cts_offsets", "-f", "mp4"]
    try pair(source, as: "negative", video: options)
    try films.expectEqualPictures("negative", source)
    // Times by ISO: the first picture is at 0, which ffmpeg itself shows later.
    let frames = try films.frames("v", of: "negative.mkv")
    let beginning = try #require(frames.first?.seconds)
    #expect(abs(beginning) < 0.003, "\(beginning)")
  }

  @Test(arguments: [true, false])
  func aFileOfPeerTubesShapeIsReadWithItsPlaylistAndWithout(hasPlaylist: Bool) throws {
    let source = try films.source("pt.mp4", video: Self.h264, audio: ["aac"])
    let options = [
      "-c", "copy", "-f", "hls", "-hls_time", "2", "-hls_playlist_type", "vod",
      "-hls_segment_type", "fmp4", "-hls_flags", "single_file", "-hls_segment_filename",
      films.path("pt-all.mp4"),
    ]
    _ = try films.copy(source, options, to: "pt.m3u8")
    let bytes = try films.bytes("pt-all.mp4")
    let segments = try films.segments(ofPlaylist: "pt.m3u8").map {
      StrandPlan.Segment(bytes: $0.bytes, duration: Int($0.seconds * 1e9))
    }
    #expect(segments.count == 4)
    let (index, requests) = try Assembly.index(of: bytes, segments: hasPlaylist ? segments : [])
    #expect(index.tracks.map(\.description.isVideo) == [true, false])
    #expect(index.fragments.map(\.bytes.upperBound) == segments.map(\.bytes.upperBound))
    if hasPlaylist { #expect(requests.count <= 3) }
    try films.make("pt", [index], [bytes])
    try films.expectEqualPictures("pt", source)
    try films.expectEqualSounds("pt", source)
    try films.expectSameDistance("pt", source, source)
  }

  @Test(arguments: [true, false])
  func aPairOfWebMIsTakenOver(hasCuesInFront: Bool) throws {
    let source = try webm("webm")
    let (video, audio) = try webmPair(source, hasCuesInFront: hasCuesInFront)
    let strands = [
      try Assembly.index(of: try films.bytes(video)),
      try Assembly.index(of: try films.bytes(audio)),
    ]
    #expect(strands.map(\.requests.count).reduce(0, +) <= (hasCuesInFront ? 2 : 4))
    let layout = try films.make(
      "webm", strands.map(\.index), [try films.bytes(video), try films.bytes(audio)])
    #expect(layout.strands.map(\.format) == [.webm, .webm])
    try films.expectEqualPictures("webm", source)
    try films.expectEqualSounds("webm", source)
    try films.expectSameDistance("webm", video, audio)
  }

  @Test(arguments: [true, false])
  func webMAndMP4BecomeOneFile(hasWebMPicture: Bool) throws {
    let source = try webm("mixed")
    let other = try films.source("mixed.mp4", video: Self.h264, audio: ["aac"])
    let (video, audio) = try webmPair(source, hasCuesInFront: true)
    let mp4Video = try films.copy(
      other, ["-map", "0:v", "-c", "copy"] + Self.index, to: "mixed-v.mp4")
    let mp4Audio = try films.copy(
      other, ["-map", "0:a", "-c", "copy"] + Self.soundIndex, to: "mixed-a.mp4")
    let resources = try (hasWebMPicture ? [video, mp4Audio] : [mp4Video, audio]).map(films.bytes)
    try films.make("mixed", try resources.map { try Assembly.index(of: $0).index }, resources)
    try films.expectEqualPictures("mixed", hasWebMPicture ? source : other)
    try films.expectEqualSounds("mixed", hasWebMPicture ? other : source)
    try films.expectSameDistance(
      "mixed", hasWebMPicture ? video : mp4Video, hasWebMPicture ? mp4Audio : audio)
  }

  @Test func timesThatAreNoWholeMillisecondsStayWithinOne() throws {
    let source = films.path("ntsc.mp4")
    try films.run([
      "ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i",
      "testsrc2=size=320x180:rate=24000/1001:duration=8", "-f", "lavfi", "-i",
      "anoisesrc=seed=3:r=44100:duration=8", "-c:v", "libx264", "-preset", "ultrafast", "-bf", "2",
      "-g", "48", "-c:a", "aac", "-pix_fmt", "yuv420p", source,
    ])
    try pair("ntsc.mp4", as: "ntsc")
    try films.expectEqualPictures("ntsc", "ntsc.mp4")
    try films.expectEqualSounds("ntsc", "ntsc.mp4")
    try films.expectSameDistance("ntsc", "ntsc-v.mp4", "ntsc-a.mp4")
  }

  // MARK: The same file, whatever is asked first

  @Test func aFileIsTheSameInAnyOrder() throws {
    let source = try films.source("order.mp4", video: Self.h264, audio: ["aac"])
    let layout = try pair(source, as: "order")
    let resources = try ["order-v.mp4", "order-a.mp4"].map(films.bytes)
    let file = try films.bytes("order.mkv")
    #expect(file.count == layout.length)
    let backwards = try Assembly.file(
      layout, resources, order: layout.fragments.indices.reversed())
    #expect(backwards.bytes == file)
    let again = try Assembly.layout(try resources.map { try Assembly.index(of: $0).index })
    #expect(again == layout)
  }

  @Test func aSlotNeedsLittleOfItsFragment() throws {
    let noisy = Self.h264 + ["-b:v", "4M"]
    let source = try films.source("little.mp4", video: noisy, audio: ["aac", "-b:a", "192k"])
    let layout = try pair(source, as: "little")
    let resources = try ["little-v.mp4", "little-a.mp4"].map(films.bytes)
    let (bytes, asked) = try Assembly.file(layout, resources)
    #expect(bytes.count == layout.length)
    #expect(asked < 20 << 10 * layout.fragments.count)
  }

  @Test func chaptersAreInTheHead() throws {
    let source = try films.source("chapters.mp4", video: Self.h264, audio: ["aac"])
    let video = try films.copy(
      source, ["-map", "0:v", "-c", "copy"] + Self.index, to: "chapters-v.mp4")
    let bytes = try films.bytes(video)
    let chapters = [
      StreamChapter(start: 0, title: "One"), StreamChapter(start: 3_000_000_000, title: "Zwei ä"),
    ]
    try films.make("chapters", [try Assembly.index(of: bytes).index], [bytes], chapters: chapters)
    let outcome = try ChildProcess.run([
      "ffprobe", "-v", "error", "-show_chapters", "-of", "csv", films.path("chapters.mkv"),
    ])
    #expect(outcome.out.contains("0.000000") && outcome.out.contains("3.000000"))
    #expect(outcome.out.contains("One") && outcome.out.contains("Zwei ä"))
    if Films.isInstalled("mkvmerge") { try films.expectSound("chapters") }
  }

  // MARK: -

  private func webm(_ name: String) throws -> String {
    try films.source(
      "\(name).webm", video: ["libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8"],
      audio: ["libopus"])
  }

  private func webmPair(_ source: String, hasCuesInFront: Bool) throws -> (String, String) {
    let front = hasCuesInFront ? ["-cues_to_front", "1"] : []
    let options = ["-c", "copy", "-dash", "1", "-cluster_time_limit", "2000"] + front
    return (
      try films.copy(source, ["-map", "0:v"] + options, to: "pair-v.webm"),
      try films.copy(source, ["-map", "0:a"] + options, to: "pair-a.webm")
    )
  }

  /// Makes `name.mkv` of a film's picture and sound, as files of their own with an index.
  @discardableResult
  private func pair(
    _ source: String, as name: String, video options: [String] = index,
    audio soundOptions: [String] = soundIndex
  ) throws -> StreamLayout {
    let video = try films.copy(
      source, ["-map", "0:v", "-c", "copy"] + options, to: "\(name)-v.mp4")
    let audio = try films.copy(
      source, ["-map", "0:a", "-c", "copy", "-strict", "-2"] + soundOptions,
      to: "\(name)-a.mp4")
    let resources = try [video, audio].map(films.bytes)
    return try films.make(name, try resources.map { try Assembly.index(of: $0).index }, resources)
  }
}
