import Control
import TestSupport
import Testing

extension Promises {
  /// Promises about time that other work on the machine would spoil: this suite runs alone.
  @Suite(.timeLimit(.minutes(3)), .enabled(if: canMount)) struct PromptnessTests {
    private let feed: MountedFeed

    init() throws {
      feed = try MountedFeed()
    }

    // MARK: Listing

    private static let count = 10_000

    /// `$1` is the mount; the shell only expands the names. The links would double the count.
    private static let promised = [
      "ls \"$1\"", "ls -l \"$1\"", "stat -c '%n %s %b %y' \"$1\"/*.mp4",
    ]
    private static let others = [
      "find \"$1\" \\( -name by-title -o -name new -o -name started \\) -prune -o -type f -size +1k -newermt 2000-01-01 -print",
      "du -a --exclude=by-title --exclude=new --exclude=started \"$1\"",
    ]

    /// Listing costs the origin nothing, whatever the size of the feed.
    @Test func tenThousandEntriesAreListedWithoutARequest() throws {
      try feed.mount("/synthetic.xml?entries=\(Self.count)&size=1048576")
      let (_, time) = try measured("stat") {
        try ChildProcess.run(["stat", feed.path(Self.count)])
      }
      #expect(time < Figure.listing.limit)
      // A debug build takes about twice the time of a release build, which users get.
      let limit = Figure.listing.limit * (BuiltBinary.isOptimized ? 1 : 2)
      for command in Self.promised + Self.others {
        let (outcome, time) = try measured(command) {
          try ChildProcess.run(["sh", "-c", command, "sh", feed.mountPoint])
        }
        #expect(outcome.status == 0, "\(outcome.err)")
        let names = outcome.out.split(separator: "\n").count { $0.contains(".mp4") }
        #expect(names == Self.count)
        #expect(time < (Self.promised.contains(command) ? limit : limit * 2), "\(command)")
      }
      #expect(try feed.origin.log().allSatisfy { $0.path == "/synthetic.xml" })
    }

    // MARK: A limit

    private static let size = 24 << 20
    /// Bytes a second of one connection, of which there may be four.
    private static let rate = 1 << 20

    @Test func aLimitHoldsInTheMiddleOfATransferAndCanBeTakenAway() throws {
      let film = PatternFile(name: "film", size: Self.size)
      try feed.serve([film])
      try feed.origin.network(latency: .milliseconds(1), rate: Self.rate)
      try feed.mount()
      let reader = try ChildProcess(["sha256sum", feed.path(1)])
      #expect(eventually { ((try? cached()) ?? 0) > 2 << 20 })
      let limited = try feed.feedfs("limit", "256K", feed.mountPoint, "--json")
      let outcome = try Wire.decode(SteeringOutcome.self, from: Array(limited.out.utf8))
      #expect(outcome.rateLimit == 256 << 10)
      let start = ContinuousClock.now
      let before = try cached()
      #expect(eventually { ((try? cached()) ?? 0) >= before + 512 << 10 })
      // No machine is too slow for this check: slowness only adds time.
      #expect(ContinuousClock.now - start > .milliseconds(1200))
      // The bytes beyond the limit show how long the old rate went on.
      let came = Double(try cached() - before)
      let allowed = 0x4_0000 * ((ContinuousClock.now - start) / .seconds(1))
      let late = Duration.seconds(1) * ((came - allowed) / Double(Self.rate))
      print("measured: from a limit's command to the limit: \(Int(late / .milliseconds(1))) ms")
      #expect(late < .milliseconds(200).here)

      #expect(try feed.feedfs("limit", "off", feed.mountPoint).status == 0)
      try feed.origin.network(rate: 64 << 20)
      #expect(reader.wait(timeout: .seconds(30)) == 0)
      #expect(reader.output.text.hasPrefix(try feed.truth(of: film)))
      let wrong = try feed.feedfs("limit", "fast", feed.mountPoint)
      #expect(MountedFeed.isRefusal(wrong, 64, "500K"), "\(wrong)")
    }

    /// Bytes of the film that are cached.
    private func cached() throws -> Int {
      try feed.status().files.first?.cached ?? 0
    }

    // MARK: A power cut

    @Test(.enabled(if: PowerDisk.FileSystem.ext4.isThere))
    func aCutCostsTheLastTwoSeconds() throws {
      try feed.serve([PatternFile(name: "a", size: 48 << 20)])
      let disk = try PowerDisk(for: feed, .ext4)
      try feed.origin.network(rate: 1 << 20)
      try feed.mount()
      let start = ContinuousClock.now
      var read: [(time: ContinuousClock.Instant, position: Int)] = []
      let opened = try MountedFile(feed.path(1))
      while read.isEmpty || .now - start < .seconds(6) {
        let position = read.last?.position ?? 0
        let bytes = try opened.read(position..<position + 128 << 10)
        read.append((.now, position + bytes.count))
      }
      try disk.cut()
      let cut = ContinuousClock.now
      try feed.kill()
      try disk.restore()

      let lost = Figure.isAlone ? Figure.powerCut.time : Figure.powerCut.time + .seconds(1)
      let kept = try #require(read.last { $0.time < cut - lost }?.position)
      try feed.settle()
      try feed.origin.reset()
      try feed.mount()
      let whole = 0..<kept / (64 << 10) * (64 << 10)
      #expect(try MountedFile(feed.path(1)).read(whole) == Pattern.bytes(whole, seed: 1))
      let again = try feed.mediaRequests().filter {
        $0.bytesSent > 0 && $0.askedFor?.overlaps(whole) ?? true
      }
      #expect(again.isEmpty, "\(again.map { $0.range ?? "all" }) of \(whole)")
    }
  }
}
