import Blocks
import Control
import Glibc
import TestSupport
import Testing

extension Promises {
  /// A metered connection can be paused, limited and left without closing the player.
  @Suite(.timeLimit(.minutes(3))) struct SteeringTests {
    private static let size = 24 << 20
    /// Bytes a second of one connection, of which there may be four.
    private static let rate = 1 << 20
    private static let film = PatternFile(name: "film", size: size)

    private func feed(on drive: DriveKind) throws -> any Drive {
      let feed = try drive.drive()
      try mount(feed)
      return feed
    }

    /// Returns the film's SHA-256, too, which is asked for while the origin is quick.
    private func feedAndTruth() throws -> (MountedFeed, truth: String) {
      let feed = try MountedFeed()
      let truth = try feed.truth(of: Self.film)
      try mount(feed)
      return (feed, truth)
    }

    private func mount(_ feed: any Drive) throws {
      try feed.serve([Self.film, PatternFile(name: "other", size: 1 << 20)])
      try feed.origin.network(latency: .milliseconds(1), rate: Self.rate)
      try feed.mount(options: ["--read-timeout", Duration.seconds(1).option])
    }

    @Test func aPauseHoldsAReaderUpAndWhatIsCachedIsRead() throws {
      let (feed, truth) = try feedAndTruth()
      let reader = try player(of: feed)
      let (_, time) = try measured("pause, until the origin sends no more") {
        try feed.steer(.paused)
        try feed.settle()
      }
      #expect(time < .seconds(8).here)
      let fetched = try feed.mediaBytes()
      #expect(fetched < Self.size)

      // Longer than a read may wait for a silent origin.
      #expect(reader.wait(timeout: .seconds(3)) == nil)
      // The first fetch came before there were others; after it there may be gaps.
      let first = 0..<256 << 10
      #expect(try MountedFile(feed.path(1)).read(first) == Pattern.bytes(first, seed: 1))
      #expect(try feed.mediaBytes() == fetched)

      let resume = try feed.feedfs("resume", feed.mountPoint)
      #expect(resume.status == 0 && resume.out.contains("online"), "\(resume)")
      #expect(try feed.status().mode == .online)
      try expectEnd(of: reader, in: feed, truth)
      #expect(try feed.mediaBytes() < Self.size + 2 << 20)
    }

    @Test func inAPauseNothingIsAskedForAndWhoWaitsCanBeKilled() throws {
      let feed = try MountedFeed()
      try mount(feed)
      try feed.steer(.paused)
      try feed.origin.reset()
      let reader = try feed.reader(of: feed.path(1))
      #expect(reader.wait(timeout: .seconds(2)) == nil)
      let refresh = try feed.feedfs("feed", "refresh", feed.mountPoint)
      #expect(refresh.status == 75 && refresh.err.contains("feedfs online"))
      #expect(try feed.feedfs("feed", "more", feed.mountPoint).status == 0)
      #expect(try feed.origin.log().isEmpty)

      reader.signal(SIGKILL)
      #expect(reader.wait(timeout: .seconds(10)) == 128 + SIGKILL)
      try feed.unmount()
    }

    @Test(arguments: DriveKind.all) func offlineLetsGoWhoWaitsInAPause(on drive: DriveKind) throws {
      let feed = try feed(on: drive)
      _ = try feed.open(feed.path(1)).read(0..<4096)
      try feed.steer(.paused)
      let reading = try feed.reading(of: feed.path(1), at: 16 << 20)
      try #require(eventually { reading.isWaiting() })
      try feed.steer(.offline)

      #expect(reading.end(.seconds(10)) == .failed(ENETDOWN))
    }

    @Test(arguments: DriveKind.all)
    func theRefreshThatWasMissedIsMadeUpFor(on drive: DriveKind) throws {
      let feed = try feed(on: drive)
      try feed.steer(.offline)
      #expect(try feed.refresh().errors.count == 1)
      try feed.origin.reset()
      try feed.steer(.online)

      try feed.origin.wait(requests: 1, below: "/feed")
    }

    @Test(arguments: DriveKind.all)
    func offlineAReadOfWhatIsMissingFailsAtOnceAndOnlineItGoesOn(on drive: DriveKind) throws {
      let feed = try feed(on: drive)
      #expect(
        try feed.open(feed.path(1)).read(0..<4096) == Pattern.bytes(0..<4096, seed: 1))
      let file = try feed.open(feed.path(1))
      try feed.steer(.offline)
      #expect(try file.failure(of: 16 << 20..<(16 << 20) + 4096) == ENETDOWN)
      #expect(try file.read(0..<4096) == Pattern.bytes(0..<4096, seed: 1))
      // A file whose length was never proved cannot be opened.
      #expect(try feed.reading(of: feed.path(2)).end(.seconds(10)) == .failed(ENETDOWN))

      try feed.steer(.online)
      let range = 16 << 20..<(16 << 20) + 4096
      #expect(try file.read(range) == Pattern.bytes(range, seed: 1))
      #expect(try feed.bytes(of: feed.path(2)) == Pattern.bytes(0..<1 << 20, seed: 1))
    }

    @Test(arguments: DriveKind.all) func offlineNoMoreIsSent(on drive: DriveKind) throws {
      let feed = try feed(on: drive)
      let reading = try feed.reading(of: feed.path(1), at: 0, count: Self.size)
      #expect(eventually { ((try? cached(in: feed)) ?? 0) > 2 << 20 })
      _ = try measured("offline, until the origin sends no more") {
        try feed.steer(.offline)
        try feed.settle()
      }
      #expect(reading.end(.seconds(10)) == .failed(ENETDOWN))
      #expect(try feed.mediaBytes() < Self.size)
    }

    @Test(arguments: DriveKind.all)
    func whoWaitsWhenItGoesOfflineIsToldAtOnce(on drive: DriveKind) throws {
      let feed = try feed(on: drive)
      // Remounts with the default timeout: the reader could wait for a minute.
      try feed.unmount()
      try feed.mount()
      try feed.origin.fault(.stall, below: "/pattern/other")
      let reading = try feed.reading(of: feed.path(2))
      try feed.origin.wait(requests: 1, below: "/pattern/other")
      try feed.steer(.offline)

      #expect(reading.end(.seconds(10)) == .failed(ENETDOWN))
    }

    // MARK: Private

    /// Starts a reader of the film, and waits until some of it is cached.
    private func player(of feed: MountedFeed) throws -> ChildProcess {
      let reader = try ChildProcess(["sha256sum", feed.path(1)])
      #expect(eventually { ((try? cached(in: feed)) ?? 0) > 2 << 20 })
      return reader
    }

    private func expectEnd(
      of reader: ChildProcess, in feed: MountedFeed, _ truth: String
    ) throws {
      try feed.origin.network(rate: 64 << 20)
      #expect(reader.wait(timeout: .seconds(30)) == 0)
      #expect(reader.output.text.hasPrefix(truth))
    }

    /// Bytes of the film that are cached.
    private func cached(in feed: any Drive) throws -> Int {
      try feed.status().files.first?.cached ?? 0
    }
  }
}

extension Drive {
  /// Sets the network mode, and compares it with the status.
  fileprivate func steer(_ mode: NetworkMode) throws {
    try turn(mode)
    #expect(try status().mode == mode)
  }
}
