import Control
import TestSupport
import Testing

extension Promises {
  /// Sound and pictures of another configuration are right or refused, and never noise.
  @Suite(
    .timeLimit(.minutes(4)), .enabled(if: canMount && isInstalled("ffmpeg"), "ffmpeg is missing"))
  struct BreakShapesTests {
    struct Shape: Sendable, CustomTestStringConvertible {
      let name: String
      /// The arguments of ffmpeg for the segments in front of a break and behind it.
      let before: [String]
      let after: [String]
      /// A word of the reason for which it is refused; nil if it is right.
      var words: String?
      /// False if no break is told.
      var hasBreak = true

      var testDescription: String { name }
    }

    private static let picture = ["-c:v", "libx264", "-preset", "ultrafast", "-g", "50"]
    private static func aac(_ rate: Int, channels: Int = 2) -> [String] {
      picture + ["-c:a", "aac", "-ar", "\(rate)", "-ac", "\(channels)"]
    }
    private static func sound(_ codec: String, _ rate: Int, channels: Int = 2) -> [String] {
      picture + ["-c:a", codec, "-ar", "\(rate)", "-ac", "\(channels)"]
    }

    static let shapes: [Shape] = [
      Shape(name: "alike", before: aac(48_000), after: aac(48_000)),
      Shape(name: "44.1 kHz", before: aac(48_000), after: aac(44_100), words: "44.1 kHz"),
      Shape(name: "32 kHz", before: aac(48_000), after: aac(32_000), words: "32 kHz"),
      Shape(
        name: "mono", before: aac(48_000), after: aac(48_000, channels: 1), words: "1 channel"),
      Shape(
        name: "mono, and no break", before: aac(48_000), after: aac(48_000, channels: 1),
        words: "1 channel", hasBreak: false),
      Shape(
        name: "32 kHz, and no break", before: aac(48_000), after: aac(32_000), words: "32 kHz",
        hasBreak: false),
      Shape(
        name: "MP3 of 44.1 kHz", before: sound("libmp3lame", 48_000),
        after: sound("libmp3lame", 44_100), words: "44.1 kHz"),
      Shape(
        name: "AC-3 of 32 kHz", before: sound("ac3", 48_000), after: sound("ac3", 32_000),
        words: "32 kHz"),
      Shape(
        name: "AC-3 of six channels", before: sound("ac3", 48_000),
        after: sound("ac3", 48_000, channels: 6)),
      Shape(
        name: "another codec of sound", before: aac(48_000), after: sound("ac3", 48_000),
        words: "AC3"),
      Shape(
        name: "a smaller picture", before: aac(48_000), after: aac(48_000) + ["-s", "160x90"]),
      Shape(
        name: "another profile of the picture", before: aac(48_000) + ["-profile:v", "baseline"],
        after: aac(48_000) + ["-coder", "1", "-bf", "2"]),
    ]

    private func pack(_ shape: Shape, in folder: String) throws {
      _ = try ChildProcess.run(["mkdir", "-p", folder])
      for (number, words) in [shape.before, shape.after, shape.before].enumerated() {
        let packing = words.map { "'\($0)'" }.joined(separator: " ")
        let outcome = try ChildProcess.run(
          [
            "sh", "-c",
            """
            cd '\(folder)' && ffmpeg -v error -y \
              -f lavfi -i testsrc2=size=320x180:rate=25:duration=4 \
              -f lavfi -i sine=frequency=440:sample_rate=48000:duration=4 \(packing) -pix_fmt yuv420p \
              -f hls -hls_time 2 -hls_playlist_type vod -hls_segment_filename '\(number)-%d.ts' part.m3u8 &&
            { test \(number) = 0 && printf '#EXTM3U\\n#EXT-X-VERSION:3\\n#EXT-X-TARGETDURATION:2\\n' ||
              printf '\(shape.hasBreak ? "#EXT-X-DISCONTINUITY\\n" : "")'
              grep -A1 EXTINF part.m3u8 | grep -v '^--'; } >>v.m3u8
            """,
          ], timeout: .seconds(60))
        guard outcome.status == 0 else { throw TestToolError("\(shape.name): \(outcome.err)") }
      }
      _ = try ChildProcess.run(["sh", "-c", "echo '#EXT-X-ENDLIST' >>'\(folder)/v.m3u8'"])
    }

    @Test(arguments: Scale.cases(6, of: shapes))
    func whatFollowsABreakIsRightOrRefused(_ shape: Shape) throws {
      let feed = try MountedFeed()
      let folder = feed.media + "/film"
      try pack(shape, in: folder)
      try feed.origin.put(
        """
        <rss version="2.0"><channel><title>t</title><item><guid>1</guid><title>1</title><enclosure
        length="0" type="application/x-mpegurl" url="\(feed.origin.url("/files/film/v.m3u8"))"/>
        </item></channel></rss>
        """, at: "/feed", type: "application/rss+xml")
      try feed.mount("/feed")
      let film = String(feed.path(1).dropLast(3) + "mkv")
      let begun = ContinuousClock.now
      let copy = try ChildProcess.run(["cp", film, folder + "/copy.mkv"], timeout: .seconds(120))
      let time = ContinuousClock.now - begun
      guard let words = shape.words else {
        #expect(copy.status == 0, "\(copy.err)")
        for kind in ["v", "a"] {
          let frames = try count(kind, in: folder + "/copy.mkv")
          let truth = try (0..<3).flatMap { part in
            try (0..<2).map { try count(kind, in: folder + "/\(part)-\($0).ts") }
          }.reduce(0, +)
          #expect(frames == truth, "\(kind)")
        }
        return
      }
      #expect(copy.status != 0)
      // Nothing would change if the segment was asked for again.
      #expect(time < .seconds(8).here, "it failed after \(time)")
      let said = try feed.details(of: film).file.failure?.what ?? ""
      #expect(said.contains(words), "\(said)")
    }

    /// Returns how many packets of a kind decode without an error.
    private func count(_ kind: String, in path: String) throws -> Int {
      let outcome = try ChildProcess.run([
        "ffprobe", "-v", "error", "-select_streams", "\(kind):0", "-count_packets", "-show_entries",
        "stream=nb_read_packets", "-of", "csv=p=0", path,
      ])
      let decoded = try ChildProcess.run([
        "ffmpeg", "-v", "error", "-i", path, "-map", "0:\(kind):0", "-f", "null", "-",
      ])
      // Sound may overlap by less than a frame at a break, which a muxer complains about.
      let isSound = !decoded.err.contains("Error while decoding")
      #expect(decoded.status == 0 && isSound, "\(decoded.err)")
      return Int(outcome.out.split(separator: "\n").first.map { $0.filter(\.isNumber) } ?? "") ?? 0
    }
  }
}
