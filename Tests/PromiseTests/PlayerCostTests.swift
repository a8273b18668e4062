import Control
import Glibc
import TestSupport
import Testing

extension Promises {
  /// The bytes that ten seconds of a film cost, which is of 190 MiB and 200 seconds.
  @Suite(
    .timeLimit(.minutes(3)),
    .enabled(if: isInstalled("mpv") && isInstalled("ffmpeg"), "mpv or ffmpeg is not installed"))
  struct PlayerCostTests {
    private static let seconds = 200
    /// Seconds of the film that a player itself buffers; mpv with the option of `feedfs play`.
    private static let buffer = 5

    enum Line: CaseIterable, Sendable {
      case free, metered, limited

      var options: [String] {
        switch self {
        case .free: []
        case .metered: ["--metered"]
        case .limited: ["--limit-rate", "20M"]
        }
      }
    }

    private let feed: MountedFeed
    private let size: Int

    init() throws {
      feed = try MountedFeed()
      let film = try ChildProcess.run([
        "bash", "-c",
        """
        cd \(feed.media)
        ffmpeg -v error -f lavfi -i 'testsrc2=size=640x360:rate=25' -vf noise=alls=60:allf=t \
          -t 4 -c:v mpeg4 -b:v 8M -minrate 8M -maxrate 8M -bufsize 1M part.mp4
        ffmpeg -v error -stream_loop 49 -i part.mp4 -c copy -movflags +faststart 1.mp4
        rm part.mp4; stat -c %s 1.mp4
        """,
      ])
      size = try #require(
        Int(film.out.trimmingPrefix { $0.isWhitespace }.prefix { $0.isNumber }), "\(film.err)")
      try serve(
        "<duration xmlns=\"http://www.itunes.com/dtds/podcast-1.0.dtd\">\(Self.seconds)</duration>")
    }

    private func serve(_ more: String) throws {
      var item = WrittenFeed.Item(1, more: more)
      item.media = "/files/1.mp4"
      try WrittenFeed(pages: [[item]]).serve(by: feed)
    }

    @Test(arguments: Line.allCases) func tenSecondsCostAWindow(line: Line) throws {
      try feed.mount("/written", options: line.options)
      #expect(try feed.status().isMetered == (line == .metered))
      let player = try WatchedPlayer(of: feed)
      #expect(
        try eventually(within: .seconds(60), every: .milliseconds(100)) { try player.position > 10 }
      )
      try check(try player.position, on: line, by: "mpv")
    }

    /// The film itself tells how long it is.
    @Test func aFeedThatSaysNoDurationCostsNoMore() throws {
      try serve("")
      try feed.mount("/written")
      let player = try WatchedPlayer(of: feed)
      #expect(
        try eventually(within: .seconds(60), every: .milliseconds(100)) { try player.position > 10 }
      )
      try check(try player.position, on: .free, by: "mpv, no duration")
    }

    private static let others: [FilmProgram] = [.vlc, .gstreamer]

    /// They have no option for it, and need none.
    @Test(
      .enabled(if: getenv("FEEDFS_REAL") != nil), arguments: others.filter(\.isThere), Line.allCases
    )
    func tenSecondsInAnotherPlayerCostAWindow(_ program: FilmProgram, line: Line) throws {
      // VLC refuses to run as root.
      chmod(feed.folder, 0o755)
      try feed.mount("/written", options: line.options + ["--allow-other"])
      let name = try #require(try feed.names(in: "").first { $0.hasPrefix("0001.") })
      let place = try program.watch(feed.mountPoint + "/" + name, for: 10, home: feed.folder)
      try check(place, on: line, by: program.rawValue)
    }

    /// Checks what the film has cost when a player has come to `place`, in seconds.
    private func check(_ place: Double, on line: Line, by player: String) throws {
      let cost = try feed.mediaBytes()
      let ahead = line == .free ? Figure.filmAhead.time : Figure.sparingAhead.time
      let most = place + Double(Self.buffer) + ahead / .seconds(1) + 2
      print("ten seconds, \(player), \(line): \(cost >> 20) MiB of \(size >> 20) MiB at \(place) s")
      #expect(Double(cost) < Double(size / Self.seconds) * most)
    }

    @Test func whatIsMeteredIsSaidAndTakenBack() throws {
      try feed.mount("/written")
      let outcome = try feed.feedfs("metered", "on", feed.mountPoint)
      #expect(outcome.status == 0 && outcome.out.contains("metered"), "\(outcome)")
      #expect(try feed.status().isMetered == true)
      #expect(try feed.feedfs("status", feed.mountPoint).out.contains("metered"))
      #expect(try feed.feedfs("metered", "off", feed.mountPoint).status == 0)
      #expect(try feed.status().isMetered == false)
      #expect(try feed.feedfs("metered", "perhaps", feed.mountPoint).status == 64)
    }
  }
}
