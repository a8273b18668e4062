import TestSupport
import Testing

extension Promises {
  /// A film of 329 KB/s at a real nginx that sends 150 KB/s over each connection, in a real mpv.
  @Suite(
    .timeLimit(.minutes(3)),
    .enabled(
      if: isInstalled("mpv") && isInstalled("ffmpeg") && isInstalled("nginx"),
      "mpv, ffmpeg or nginx is not installed"))
  struct SlowOriginTests {
    /// Returns the number behind `word` in a line of mpv's log like `[ 5.01][…] End buffering (waited 0.5 secs)`.
    private static func seconds(in line: Substring, behind word: String) -> Duration {
      let rest = line.split(separator: word, maxSplits: 1).last?.drop { $0 == " " }
      return .seconds(rest.flatMap { Double($0.prefix { $0.isNumber || $0 == "." }) } ?? 60)
    }

    enum Film: String, CaseIterable, Sendable {
      /// The index in front, and the feed says how long the film is.
      case mp4
      /// The index at the end, and nothing else says how long the film is.
      case indexAtTheEnd
      case matroska

      var name: String { self == .matroska ? "1.mkv" : "1.mp4" }
      var options: String { self == .mp4 ? "-movflags +faststart" : "" }
      var words: String {
        self == .mp4
          ? "<duration xmlns=\"http://www.itunes.com/dtds/podcast-1.0.dtd\">40</duration>" : ""
      }
    }

    @Test(arguments: Film.allCases) func aFilmThatOneConnectionIsTooSlowForPlaysOn(
      film: Film
    ) throws {
      let feed = try MountedFeed()
      let made = try ChildProcess.run([
        "bash", "-c",
        """
        cd \(feed.media)
        ffmpeg -v error -f lavfi -i 'testsrc2=size=320x240:rate=25' -vf noise=alls=60:allf=t \
          -t 4 -c:v mpeg4 -b:v 2632k -minrate 2632k -maxrate 2632k -bufsize 330k part.mp4
        ffmpeg -v error -stream_loop 9 -i part.mp4 -c copy \(film.options) \(film.name)
        rm part.mp4; stat -c %s \(film.name)
        """,
      ])
      let size = try #require(Int(made.out.prefix { $0.isNumber }), "\(made.err)")
      #expect(abs(size / 40 - 329_000) < 20_000, "\(size)")
      let server = try ListingServer(.nginx, of: feed, limit: "150k")
      var item = WrittenFeed.Item(1, more: film.words)
      item.media = server.url + film.name
      try WrittenFeed(pages: [[item]]).serve(by: feed)
      try feed.mount("/written")

      let player = try WatchedPlayer(of: feed, mpv: ["--msg-level=all=v"])

      #expect(
        try eventually(within: .seconds(60), every: .milliseconds(100)) { try player.position > 16 }
      )
      let story = contents(of: player.log).split(separator: "\n")
      let begun = try #require(
        story.firstIndex { $0.contains("playback restart complete") }, "\(player.story)")
      let shown = Self.seconds(in: story[begun], behind: "[")
      let stands = story[begun...].filter { $0.contains("End buffering (waited") }
      let stood = stands.map { Self.seconds(in: $0, behind: "(waited ") }.reduce(.zero, +)
      // Without feedfs it stands for 3 s in each 5 s. A busy machine may be late at first, then never.
      #expect(stood < .seconds(3), "\(stands)")
      let late = stands.filter {
        let end = Self.seconds(in: $0, behind: "[") - shown
        return end - Self.seconds(in: $0, behind: "(waited ") > .seconds(8)
      }
      #expect(late.isEmpty)
      let requests = try server.requests(for: film.name)
      print("a slow origin, \(film): it stood for \(stood), \(requests) requests")
    }
  }
}
