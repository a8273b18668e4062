import Testing

@testable import Streams

/// The places in the playlists of a real packager are those of its files.
@Suite(.timeLimit(.minutes(3)), .enabled(if: Broadcast.isPossible, "ffmpeg is not installed"))
struct PackagedPlaylistTests {
  private static let base = "http://h/"

  private func name(_ address: String) -> String { String(address.dropFirst(Self.base.count)) }

  private func track(_ broadcast: Broadcast, _ name: String) throws -> TrackSource {
    try MediaPlaylist(broadcast.bytes(name), at: Self.base + name).track
  }

  private static let coding = [
    "-c:v", "libx264", "-preset", "ultrafast", "-g", "50", "-c:a", "aac", "-f", "hls", "-hls_time",
    "2", "-hls_playlist_type", "vod",
  ]

  @Test func rangesCoverTheWholeFile() throws {
    let broadcast = try Broadcast()
    try broadcast.make(
      Self.coding + ["-hls_segment_type", "fmp4", "-hls_flags", "single_file", "v.m3u8"])
    let track = try track(broadcast, "v.m3u8")
    #expect(track.addresses.count == 1 && track.container == .mp4 && track.segments.count == 3)
    let size = try broadcast.bytes(name(track.addresses[0])).count
    var end = try #require(track.initializations.first?.bytes).upperBound
    for segment in track.segments {
      let bytes = try #require(segment.part.bytes)
      #expect(bytes.lowerBound == end)
      end = bytes.upperBound
    }
    #expect(end == size && track.end == .seconds(6))
  }

  @Test func rangesOfATransportStreamAreSegmentsOfIt() throws {
    let broadcast = try Broadcast()
    try broadcast.make(Self.coding + ["-hls_flags", "single_file", "v.m3u8"])
    let track = try track(broadcast, "v.m3u8")
    let file = try broadcast.bytes(name(track.addresses[0]))
    let pictures = try track.segments.map { segment in
      let bytes = try #require(segment.part.bytes)
      return try SegmentReader.read(file[bytes], .picture).samples
    }
    #expect(pictures.map(\.count) == [50, 50, 50])
    #expect(pictures.allSatisfy { $0.first?.isKey == true })
  }

  @Test func apartFromAMasterPictureAndSoundAreFound() throws {
    let broadcast = try Broadcast()
    try broadcast.make(
      [
        "-map", "0:v", "-map", "0:v", "-map", "1:a", "-s:v:0", "320x180", "-s:v:1", "640x360",
      ] + Self.coding + [
        "-hls_segment_type", "fmp4", "-hls_fmp4_init_filename", "init_%v.mp4",
        "-hls_segment_filename", "s%v_%d.m4s", "-master_pl_name", "m.m3u8", "-var_stream_map",
        "v:0,agroup:a v:1,agroup:a a:0,agroup:a,default:yes,language:de", "v%v.m3u8",
      ])
    let master = try MasterPlaylist(broadcast.bytes("m.m3u8"), at: Self.base + "m.m3u8")
    var wishes = StreamWishes()
    let tall = try PlaylistChoice(master, wishes)
    wishes.maxHeight = 200
    let small = try PlaylistChoice(master, wishes)
    #expect(tall.picture == "http://h/v1.m3u8" && small.picture == "http://h/v0.m3u8")
    #expect(tall.sound == "http://h/v2.m3u8" && small.sound == tall.sound)
    let source = tall.source(
      picture: try MediaPlaylist(broadcast.bytes("v1.m3u8"), at: tall.picture),
      sound: try MediaPlaylist(broadcast.bytes("v2.m3u8"), at: "http://h/v2.m3u8"))
    #expect(source.tracks.map(\.height) == [360, nil] && source.tracks[1].language == "de")
    for track in source.tracks {
      for address in track.addresses {
        #expect(try !broadcast.bytes(name(address)).isEmpty)
        #expect(StreamContainer(beginning: try broadcast.bytes(name(address))) == .mp4)
      }
    }
  }

  @Test func subtitlesInSegmentsAreThoseOfTheSource() throws {
    let broadcast = try Broadcast()
    // Without sound: ffmpeg moves all by the time in which a decoder of AAC begins.
    let cues = (0..<6).map { "\($0 + 1)\n00:00:0\($0),500 --> 00:00:0\($0 + 1),700\nCue \($0)\n" }
    try broadcast.write(Array(cues.joined(separator: "\n").utf8), to: "s.srt")
    try broadcast.make(
      ["-i", "s.srt", "-map", "0:v", "-map", "2:s"] + Self.coding + [
        "-c:s", "webvtt", "-var_stream_map", "v:0,s:0,sgroup:s", "-master_pl_name", "m.m3u8",
        "-hls_segment_filename", "v%v_%d.ts", "v%v.m3u8",
      ])
    let texts = try MediaPlaylist(broadcast.bytes("v0_vtt.m3u8"), at: Self.base + "v0_vtt.m3u8")
    #expect(texts.track.container == .text && texts.track.segments.count > 1)
    var merge = CueMerge()
    for segment in texts.track.segments {
      let name = name(texts.track.addresses[segment.part.address])
      try merge.add(broadcast.bytes(name), at: segment.start)
    }
    let expected = (0..<6).map {
      "00:00:0\($0).500 --> 00:00:0\($0 + 1).700\nCue \($0)\n\n"
    }
    #expect(merge.document == "WEBVTT\n\n" + expected.joined())
  }
}
