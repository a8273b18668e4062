import TestSupport
import Testing

extension Promises {
  /// Files and films over lines that are long, thin or lossy, with the kernel's own TCP. This suite
  /// runs alone.
  @Suite(
    .timeLimit(.minutes(5)), .unless(Line.obstacle))
  struct LineTests {
    /// Lines, and bytes of a film that take some seconds there.
    private static let lines: [(line: Line.Kind, size: Int)] = [
      (Line.Kind(rtt: 150, rate: 1_000_000), 2 << 20),
      (Line.Kind(rtt: 50, rate: 5_000_000, loss: 0.005), 1 << 20),
      (Line.Kind(rtt: 50, rate: 1_000_000), 3 << 20),
      (Line.Kind(rtt: 150, rate: 100_000_000), 40 << 20),
      (Line.Kind(rtt: 5, rate: 1_000_000), 6 << 20),
      (Line.Kind(rtt: 300, rate: 1_000_000), 6 << 20),
      (Line.Kind(rtt: 150, rate: 5_000_000), 24 << 20),
      (Line.Kind(rtt: 5, rate: 5_000_000, loss: 0.01), 20 << 20),
      (Line.Kind(rtt: 300, rate: 1_000_000, loss: 0.001, congestion: "reno"), 3 << 20),
    ]

    @Test(arguments: Scale.isFull ? lines : Array(lines.prefix(2)))
    func aFileComesAsFastAsCurlBringsIt(line kind: Line.Kind, size: Int) throws {
      let curl = try time(of: size, over: kind) { line, feed, file in
        line.atTheNearEnd + ["curl", "-sSf", line.url(file.path, of: feed)]
      }
      let ours = try time(of: size, over: kind) { line, feed, file in
        try feed.mount(
          line.url("/feed", of: feed), options: [], by: line.atTheNearEnd)
        return ["cat", feed.path(1)]
      }
      print("\(kind): curl \(curl), feedfs \(ours)")
      // Starts of programs, and of a mount's first read, are no part of the promise.
      #expect(ours * Figure.lineShare.share < curl + .milliseconds(200), "\(kind)")
    }

    /// Six megabits a second carry five, with a sixth for headers and for what a player does not
    /// wait for.
    @Test(arguments: Scale.isFull ? [5, 50, 150, 300] : [150])
    func aFilmThatTheLineCarriesNeverStalls(rtt: Int) throws {
      let seconds = Scale.isFull ? 40 : 6
      let line = try Line(Line.Kind(rtt: rtt, rate: 750_000))
      let feed = try line.makeFeed()
      let film = PatternFile(name: "film", size: 64 << 20)
      try serve(film, of: feed, over: line)
      try feed.mount(line.url("/feed", of: feed), options: [], by: line.atTheNearEnd)
      let script = """
        import sys; sys.path.insert(0, sys.argv[1])
        from harness.reading import watch
        print(*watch(open(sys.argv[2], 'rb', buffering=0), 625000, \(seconds)))
        """
      let player = try ChildProcess.run(
        ["python3", "-c", script, Line.programs, feed.path(1)], timeout: .seconds(100))
      print("\(rtt) ms: begin and stalls: \(player.out)")
      #expect(player.out.hasSuffix(" 0\n"), "\(player)")
      // Two seconds of the film take 1.8 s, after about six round trips of slow start.
      let begin = try #require(Double(player.out.prefix { $0 != " " }))
      #expect(.seconds(begin) < Duration.seconds(2.6 + Double(rtt) * 0.008).here, "\(player)")
    }

    /// Publishes `film` under the address that the near end knows.
    private func serve(_ film: PatternFile, of feed: MountedFeed, over line: Line) throws {
      var film = film
      film.url = line.url(film.path, of: feed)
      try feed.serve([film])
    }

    /// Returns how long a command takes that prints the film, over a new line. All bytes must be
    /// right.
    private func time(
      of size: Int, over kind: Line.Kind,
      by command: (Line, MountedFeed, PatternFile) throws -> [String]
    ) throws -> Duration {
      let line = try Line(kind)
      let feed = try line.makeFeed()
      let film = PatternFile(name: "film", size: size)
      try serve(film, of: feed, over: line)
      let words = try command(line, feed, film)
      let start = ContinuousClock.now
      let reader = try ChildProcess(words)
      let status = reader.wait(timeout: .seconds(100))
      let time = ContinuousClock.now - start
      #expect(status == 0, "\(words): \(reader.errors.text)")
      #expect(reader.output.bytes == Pattern.bytes(0..<size, seed: 1))
      return time
    }
  }
}
