import Control
import TestSupport
import Testing

extension Promises {
  /// Whatever a fragmented MP4 holds, all of it is in the mounted file.
  @Suite(
    .timeLimit(.minutes(4)), .enabled(if: canMount && isInstalled("ffmpeg"), "ffmpeg is missing"))
  struct FragmentedShapesTests {
    struct Shape: Sendable, CustomTestStringConvertible {
      let name: String
      /// The arguments of ffmpeg behind the inputs: a picture, two sounds, and words.
      let packing: [String]
      /// Bytes of the file that are cut off.
      var cut = 0
      /// True if a film is made of it.
      var isFilm = false

      var testDescription: String { name }
    }

    private static let both = ["-map", "0:v", "-map", "1:a"]
    private static let plain = "+frag_keyframe+empty_moov+default_base_moof"

    private static func flags(_ flags: String, _ more: [String] = both) -> [String] {
      more + ["-movflags", flags]
    }

    static let shapes: [Shape] = [
      Shape(name: "all in fragments", packing: flags(plain), isFilm: true),
      Shape(name: "an index in front", packing: flags(plain + "+global_sidx"), isFilm: true),
      Shape(name: "a late head", packing: flags(plain + "+delay_moov"), isFilm: true),
      Shape(
        name: "negative compositions", packing: flags(plain + "+negative_cts_offsets"), isFilm: true
      ),
      Shape(
        name: "places by the data before", packing: flags("frag_keyframe+empty_moov"), isFilm: true),
      Shape(
        name: "places without offsets",
        packing: flags("frag_keyframe+empty_moov+omit_tfhd_offset"), isFilm: true),
      Shape(name: "a picture alone", packing: flags(plain, ["-map", "0:v"]), isFilm: true),
      Shape(name: "the first pictures in the head", packing: flags("frag_keyframe")),
      Shape(name: "the head in front of its media", packing: flags("frag_keyframe+faststart")),
      Shape(
        name: "five seconds in the head",
        packing: flags("frag_keyframe") + ["-frag_duration", "5000000"]),
      Shape(
        name: "a head of its own, places from the moof",
        packing: flags("frag_keyframe+default_base_moof")),
      Shape(name: "two sounds", packing: flags(plain, both + ["-map", "2:a"])),
      Shape(name: "two pictures", packing: flags(plain, both + ["-map", "0:v"])),
      Shape(
        name: "words", packing: flags(plain, both + ["-map", "3:s", "-c:s", "mov_text"])),
      Shape(name: "ALAC", packing: flags(plain) + ["-c:a", "alac"]),
      Shape(name: "its own chapters", packing: flags(plain) + ["-map_chapters", "4"]),
      Shape(name: "a cut in the media", packing: flags(plain), cut: 5000),
      Shape(name: "a cut behind an index", packing: flags(plain + "+global_sidx"), cut: 5000),
      Shape(name: "a cut at the last header", packing: flags(plain + "+skip_trailer"), cut: 3),
    ]

    private func pack(_ shape: Shape, in folder: String) throws {
      let words = shape.packing.map { "'\($0)'" }.joined(separator: " ")
      let outcome = try ChildProcess.run(
        [
          "sh", "-c",
          """
          mkdir -p '\(folder)' && cd '\(folder)' &&
          printf '1\\n00:00:01,000 --> 00:00:03,000\\nHello\\n' >s.srt &&
          printf ';FFMETADATA1\\n[CHAPTER]\\nTIMEBASE=1/1\\nSTART=0\\nEND=4\\ntitle=One\\n' >chapters &&
          ffmpeg -v error -y -f lavfi -i testsrc2=size=320x180:rate=25:duration=12 \
            -f lavfi -i sine=frequency=440:sample_rate=48000:duration=12 \
            -f lavfi -i sine=frequency=880:sample_rate=48000:duration=12 -i s.srt -i chapters \
            -map_chapters -1 -c:v libx264 -preset ultrafast -qp 10 -g 50 -pix_fmt yuv420p -c:a aac \
            \(words) -f mp4 film.mp4 && truncate -s -\(shape.cut) film.mp4
          """,
        ], timeout: .seconds(60))
      guard outcome.status == 0 else { throw TestToolError("\(shape.name): \(outcome.err)") }
    }

    private func streams(of path: String) throws -> String {
      try ChildProcess.run([
        "ffprobe", "-v", "error", "-show_entries", "stream=codec_type,codec_name:chapter=id", "-of",
        "csv=p=0", path,
      ]).out
    }

    private func mount(_ shape: Shape) throws -> (feed: MountedFeed, source: String) {
      let feed = try MountedFeed()
      try pack(shape, in: feed.media + "/film")
      try feed.origin.put(
        """
        <rss version="2.0"><channel><title>t</title><item><guid>1</guid><title>1</title>
        <enclosure length="0" type="video/mp4" url="\(feed.origin.url("/files/film/film.mp4"))"/>
        </item></channel></rss>
        """, at: "/feed", type: "application/rss+xml")
      try feed.mount("/feed")
      return (feed, feed.media + "/film/film.mp4")
    }

    @Test(arguments: Scale.cases(8, of: shapes))
    func allOfTheFileIsThere(_ shape: Shape) throws {
      let (feed, source) = try mount(shape)
      let film = feed.path(1)
      let truth = try ChildProcess.run(["sha256sum", source]).out
      let isPlain = truth.hasPrefix(try feed.digest(of: film))
      #expect(isPlain != shape.isFilm)
      guard !isPlain else { return }
      #expect(try streams(of: film) == streams(of: source))
      for kind in ["v", "a"] where kind == "v" || shape.packing.contains("1:a") {
        let (own, other) = try (
          StreamShapes.frames(kind, of: source), StreamShapes.frames(kind, of: film)
        )
        // The sound that a decoder makes before the first that is heard may be there or not.
        let surplus = kind == "a" ? other.hashes.count - own.hashes.count : 0
        #expect((-1...1).contains(surplus))
        #expect(
          other.hashes.dropFirst(max(0, surplus)) == own.hashes.dropFirst(max(0, -surplus)))
      }
      let said = try feed.details(of: film).stream?.choice ?? ""
      #expect(!said.contains("left out"), "\(said)")
    }

    /// All find out at the same time that no film can be made of it.
    @Test func manyReadersOfACutFileReadItAsItIs() throws {
      let shape = try #require(Self.shapes.first { $0.name == "a cut in the media" })
      let (feed, source) = try mount(shape)
      let film = feed.path(1)
      let outcome = try ChildProcess.run([
        "sh", "-c",
        """
        for n in 1 2 3 4 5 6; do
          (tail -c $((n * 9000)) "$0" | sha256sum >"\(feed.media)/own$n") &
          (tail -c $((n * 9000)) "$1" | sha256sum >"\(feed.media)/true$n") &
        done; wait
        for n in 1 2 3 4 5 6; do cmp "\(feed.media)/own$n" "\(feed.media)/true$n" || exit 1; done
        """, film, source,
      ])
      #expect(outcome.status == 0, "\(outcome.out) \(outcome.err)")
      #expect(try feed.status().files[0].failure == nil)
    }
  }
}
