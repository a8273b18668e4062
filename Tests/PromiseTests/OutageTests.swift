import Control
import Glibc
import TestSupport
import Testing

extension Promises {
  /// `feedfs play` while the bytes of its film do not come.
  @Suite(
    .timeLimit(.minutes(15)),
    .enabled(if: isInstalled("mpv") && isInstalled("ffmpeg"), "mpv or ffmpeg is not installed"))
  struct OutageTests {
    enum Outage: String, CaseIterable, Sendable {
      /// Connections are refused.
      case stopped
      /// Connections are made, but no answer comes.
      case stalled
      /// No packet arrives.
      case unplugged
      case paused, offline

      static let possible = allCases.filter {
        $0 != .unplugged || TestNetwork.obstacle == nil
      }
    }

    private let feed: MountedFeed
    private let network: TestNetwork?

    /// A film of two minutes, which all tests serve.
    private static let film = Result {
      let path = try SharedFolder.path.get() + "/long.mp4"
      let made = try ChildProcess.run([
        "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=320x240:rate=10", "-t", "120",
        "-c:v", "mpeg4", "-b:v", "4M", "-minrate", "4M", "-q:v", "1", "-movflags", "+faststart",
        path,
      ])
      guard made.status == 0 else { throw TestToolError("no film: \(made.err)") }
      return path
    }

    /// Serves a film that comes about twice as fast as it is played.
    init() throws {
      network = TestNetwork.obstacle == nil ? try TestNetwork() : nil
      feed = try MountedFeed(in: network, originOptions: ["--address", "0.0.0.0"])
      try #require(link(Self.film.get(), "\(feed.folder)/long.mp4") == 0)
      let items = try (1...2).map { number in
        var item = WrittenFeed.Item(number)
        item.media =
          "http://\(network?.near ?? "127.0.0.1"):\(feed.origin.port)/files/\(number).mp4"
        try feed.link("long", as: number)
        return item
      }
      try WrittenFeed(pages: [items]).serve(by: feed)
      try feed.origin.network(latency: .milliseconds(1), rate: 250_000)
    }

    /// How long an outage is by the clock on the screen: longer than the read timeout, or as long as
    /// `FEEDFS_OUTAGE` says, such as 1:30.
    private static let clocks =
      getenv("FEEDFS_OUTAGE").map { [String(cString: $0)] }
      ?? (Scale.isFull ? ["1:30", "10:00"] : ["0:05"])

    /// A full count makes its share of the outages: first those of files, and then those of streams.
    private static func share(ofStreams: Bool) -> [Outage] {
      let all = Outage.possible
      guard Scale.isFull || getenv("FEEDFS_OUTAGE") != nil else {
        // The others differ from these two before a stream comes into play.
        return ofStreams ? Scale.cases(1, of: [.stopped, .stalled]) : Scale.cases(3, of: all)
      }
      let first = ofStreams ? all.count : 0
      return Scale.trials(2 * all.count, of: 2 * all.count)
        .filter { (first..<first + all.count).contains($0) }.map { all[$0 - first] }
    }

    /// The outages of the other tests. Each full count makes all of them.
    private static func some(of all: [Outage]) -> [Outage] {
      Scale.isFull ? all : Scale.cases(2, of: all)
    }

    @Test(arguments: share(ofStreams: false), clocks)
    func theSameEntryGoesOnAtItsPlace(outage: Outage, clock: String) throws {
      let player = try play(timeout: 3)
      try goesOn(player, outage, clock, feed.name(1))
    }

    /// The film is made of the segments of a stream. They lie at another host than its playlist, as
    /// they often do.
    @Test(arguments: share(ofStreams: true), clocks)
    func soDoesAFilmOfAStream(outage: Outage, clock: String) throws {
      try serveStream()
      try goesOn(try play("/stream", timeout: 3), outage, clock, "0001.mkv")
    }

    private func goesOn(
      _ player: WatchedPlayer, _ outage: Outage, _ clock: String, _ name: String
    ) throws {
      #expect(
        eventually(within: .seconds(90), every: .milliseconds(100)) {
          (try? player.position) ?? 0 > 2
        })
      // mpv has filled its own buffer by then, so that it need not wait in a read.
      #expect(try eventually(within: .seconds(90)) { try bytesAhead() > 1 << 20 })
      let other = try WatchedPlayer(of: feed)
      #expect(eventually(every: .milliseconds(100)) { (try? other.position) ?? 0 > 0 })
      try begin(outage)
      #expect(
        try eventually(within: .seconds(60), every: .milliseconds(100)) {
          try isPaused(player) && isPaused(other)
        })
      let place = try player.position
      #expect(
        eventually(within: .seconds(14 * 60), every: .seconds(1)) {
          [player, other].allSatisfy { isSaid(outage, "\\n\(clock)", by: $0) }
        }, "\(player.story)")
      #expect(try player.position == place)
      // It neither waits in a read nor was told of an error, so it was paused in time.
      let buffer = try player.ask("\"get_property\", \"demuxer-cache-state\"")
      #expect(buffer.contains("'idle': True") && buffer.contains("'eof': False"), "\(buffer)")
      #expect(player.opened == [name])
      let (_, time) = try measured("quitting after \(clock), \(outage)") {
        try other.tell("\"keypress\", \"q\"")
        #expect(other.command.wait(timeout: .seconds(20)) == 0, "\(other.command.errors.text)")
      }
      #expect(time < Figure.playerEnds.limit)
      try end(outage)
      // mpv has more than its own buffer, so it has bytes that came after the outage.
      #expect(
        try eventually(within: .seconds(60), every: .milliseconds(100)) {
          try player.position > place + 12
        })
      #expect(player.opened.allSatisfy { $0 == name })
    }

    /// The read fails: the user has sought to bytes that are missing. Offline it fails at once, and
    /// mpv does not say any more where the user wanted to go.
    @Test(arguments: some(of: Outage.possible.filter { $0 != .paused }))
    func afterAnErrorTheSameEntryIsOpenedAgainAtItsPlace(outage: Outage) throws {
      // mpv must not come to missing bytes before it is told to seek. It would take them for the end
      // of the film, and seek to that.
      try feed.origin.network(latency: .milliseconds(1), rate: 500_000)
      let player = try play(timeout: 2)
      #expect(eventually(every: .milliseconds(100)) { (try? player.position) ?? 0 > 3 })
      try begin(outage)
      try player.tell("\"seek\", 110, \"absolute\"")
      #expect(
        try eventually(within: .seconds(90), every: .milliseconds(100)) {
          try player.ask("\"get_property\", \"eof-reached\"") == "True"
        }, "\(player.story)")
      #expect(
        eventually(every: .milliseconds(100)) { isSaid(outage, "\\n0:03", by: player) },
        "\(player.story)")
      try end(outage)
      let name = feed.name(1)
      #expect(player.waits(for: [name, name], timeout: .seconds(90)))
      let place = outage == .offline ? 4.0 : 110.5
      #expect(
        eventually(within: .seconds(90), every: .milliseconds(100)) {
          (try? player.position).map { place..<119 ~= $0 } ?? false
        }, "\(player.story)")
    }

    @Test(arguments: some(of: Outage.possible))
    func aPlayerThatWaitsInAReadSeeksLeavesAndQuits(outage: Outage) throws {
      let player = try play(timeout: 60)
      #expect(eventually(every: .milliseconds(100)) { (try? player.position) ?? 0 > 1 })
      try begin(outage)
      try waits(player, outage)
      let (_, back) = try measured("seeking back, \(outage)") {
        try player.tell("\"seek\", 0, \"absolute\"")
        #expect(
          try eventually(every: .milliseconds(100)) {
            try player.position < 40 && !isSeeking(player)
          })
      }
      #expect(back < Figure.playerEnds.limit)
      try waits(player, outage)
      let (_, next) = try measured("the next entry, \(outage)") {
        try player.tell("\"playlist-next\"")
        // Offline mpv comes back at once.
        #expect(
          eventually(every: .milliseconds(100)) { player.hasOpened(feed.name(2)) },
          "\(player.story)")
      }
      #expect(next < Figure.playerEnds.limit)
      // It is not cached, so mpv waits in its open, or has come back.
      let (_, time) = try measured("quitting, \(outage)") {
        try player.tell("\"keypress\", \"q\"")
        #expect(player.command.wait(timeout: .seconds(20)) == 0, "\(player.command.errors.text)")
      }
      #expect(time < Figure.playerEnds.limit)
      // Nothing is left that reads.
      #expect(
        try eventually { try feed.status().files.allSatisfy { $0.open == 0 } })
    }

    @Test func offlineWithNothingWholeItSaysSo() throws {
      try feed.mount("/written")
      #expect(try feed.feedfs("offline", feed.mountPoint).status == 0)
      let outcome = try feed.feedfs("play", feed.mountPoint)
      #expect(outcome.status == 69 && outcome.err.contains("no file is complete"), "\(outcome)")
    }

    // MARK: Private

    /// The cached bytes in front of the reader that has the most.
    private func bytesAhead() throws -> Int {
      try feed.status().files.first?.readers?.map(\.ahead).max() ?? 0
    }

    /// Lets mpv seek to missing bytes, and waits until its screen says so.
    private func waits(_ player: WatchedPlayer, _ outage: Outage) throws {
      let count = texts(of: outage, by: player).count
      try player.tell("\"seek\", 110, \"absolute\"")
      #expect(
        eventually(within: .seconds(90), every: .milliseconds(100)) {
          texts(of: outage, by: player).count > count + 1
        },
        "\(player.story)")
    }

    private func isSeeking(_ player: WatchedPlayer) throws -> Bool {
      try player.ask("\"get_property\", \"seeking\"") == "True"
    }

    /// Serves a feed of one HLS stream, of two minutes and about 110 KB/s, in segments of 2 s.
    private func serveStream() throws {
      let folder = feed.media + "/stream"
      let packed = try ChildProcess.run([
        "sh", "-c", "mkdir \"$0\" && cd \"$0\" && exec \"$@\"", folder,
        "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=320x240:rate=10", "-t", "120",
        "-c:v", "libx264", "-preset", "ultrafast", "-qp", "4", "-g", "20", "-f", "hls",
        "-hls_time", "2", "-hls_playlist_type", "vod", "-hls_segment_filename", "s%04d.ts",
        "-hls_base_url",
        "http://\(network?.other ?? "127.0.0.2"):\(feed.origin.port)/files/stream/",
        "v.m3u8",
      ])
      try #require(packed.status == 0, "\(packed.err)")
      let host = "http://\(network?.near ?? "127.0.0.1"):\(feed.origin.port)"
      try feed.origin.put(
        """
        <rss version="2.0"><channel><title>t</title><item><guid>1</guid><title>A stream</title>
        <enclosure length="0" type="application/x-mpegurl" url="\(host)/files/stream/v.m3u8"/>
        </item></channel></rss>
        """, at: "/stream", type: "application/rss+xml")
    }

    private func play(_ path: String = "/written", timeout: Int) throws -> WatchedPlayer {
      try feed.mount(
        path,
        options: ["--read-timeout", "\(timeout)", "--allow-private", TestNetwork.addresses])
      return try WatchedPlayer(of: feed)
    }

    private func begin(_ outage: Outage) throws {
      switch outage {
      case .stopped: try feed.origin.stopListening()
      case .stalled: feed.origin.freeze()
      case .unplugged: try network?.filter("drop")
      case .paused: #expect(try feed.feedfs("pause", feed.mountPoint).status == 0)
      case .offline: #expect(try feed.feedfs("offline", feed.mountPoint).status == 0)
      }
    }

    private func end(_ outage: Outage) throws {
      switch outage {
      case .stopped: try feed.origin.listenAgain()
      case .stalled: feed.origin.thaw()
      case .unplugged: try network?.letAllPass()
      case .paused: #expect(try feed.feedfs("resume", feed.mountPoint).status == 0)
      case .offline: #expect(try feed.feedfs("online", feed.mountPoint).status == 0)
      }
    }

    private func isPaused(_ player: WatchedPlayer) throws -> Bool {
      try player.ask("\"get_property\", \"pause\"") == "True"
    }

    /// Whether mpv's screen has shown the reason with this clock.
    private func isSaid(_ outage: Outage, _ clock: String, by player: WatchedPlayer) -> Bool {
      texts(of: outage, by: player).contains { $0.contains(clock) }
    }

    /// The orders to show the reason.
    private func texts(of outage: Outage, by player: WatchedPlayer) -> [Substring] {
      let reason =
        switch outage {
        case .stopped, .stalled, .unplugged: "waiting for"
        case .paused: "paused: feedfs fetches nothing until"
        case .offline: "offline: the rest is not cached"
        }
      return contents(of: player.log).split(separator: "\n").filter {
        $0.contains("show-text") && $0.contains(reason)
      }
    }
  }
}
