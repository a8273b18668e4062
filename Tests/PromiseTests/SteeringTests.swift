import Blocks
import Control
import Glibc
import TestSupport
import Testing

extension Promises {
  /// A metered connection can be paused, limited and left without closing the player.
  @Suite(.timeLimit(.minutes(3)), .enabled(if: canMount)) struct SteeringTests {
    private static let size = 24 << 20
    /// Bytes a second of one connection, of which there may be four.
    private static let rate = 1 << 20
    private let feed: MountedFeed
    private let truth: String

    init() throws {
      feed = try MountedFeed()
      let film = PatternFile(name: "film", size: Self.size)
      try feed.serve([film, PatternFile(name: "other", size: 1 << 20)])
      truth = try feed.truth(of: film)
      try feed.origin.network(latency: .milliseconds(1), rate: Self.rate)
      try feed.mount(options: ["--read-timeout", "1"])
    }

    @Test func aPauseHoldsAReaderUpAndWhatIsCachedIsRead() throws {
      let reader = try player()
      let (_, time) = try measured("pause, until the origin sends no more") {
        try steer("pause", .paused)
        try feed.settle()
      }
      #expect(time < .seconds(8))
      let fetched = try feed.mediaBytes()
      #expect(fetched < Self.size)

      // Longer than a read may wait for a silent origin.
      #expect(reader.wait(timeout: .seconds(3)) == nil)
      // The first fetch came before there were others; after it there may be gaps.
      let first = 0..<256 << 10
      #expect(try MountedFile(feed.path(1)).read(first) == Pattern.bytes(first, seed: 1))
      #expect(try feed.mediaBytes() == fetched)

      try steer("resume", .online)
      try expectEnd(of: reader)
      #expect(try feed.mediaBytes() < Self.size + 2 << 20)
    }

    @Test func inAPauseNothingIsAskedForAndWhoWaitsCanBeKilled() throws {
      try steer("pause", .paused)
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

    @Test func offlineLetsGoWhoWaitsInAPause() throws {
      _ = try MountedFile(feed.path(1)).read(0..<4096)
      try steer("pause", .paused)
      let reader = try feed.reader(of: feed.path(1), at: 16 << 20)
      try #require(feed.waitUntilReading([(reader, feed.path(1))]))
      try steer("offline", .offline)

      #expect(reader.wait(timeout: .seconds(10)) == 1)
      #expect(reader.errors.text.contains("Network is down"))
    }

    @Test func theRefreshThatWasMissedIsMadeUpFor() throws {
      try steer("offline", .offline)
      #expect(try feed.feedfs("feed", "refresh", feed.mountPoint).status == 75)
      try feed.origin.reset()
      try steer("online", .online)

      try feed.origin.wait(requests: 1, below: "/feed")
    }

    @Test func offlineAReadOfWhatIsMissingFailsAtOnceAndOnlineItGoesOn() throws {
      #expect(try MountedFile(feed.path(1)).read(0..<4096) == Pattern.bytes(0..<4096, seed: 1))
      let file = try MountedFile(feed.path(1))
      try steer("offline", .offline)
      #expect(try file.failure(of: 16 << 20..<(16 << 20) + 4096) == ENETDOWN)
      #expect(try file.read(0..<4096) == Pattern.bytes(0..<4096, seed: 1))
      // A file whose length was never proved cannot be opened.
      let never = try feed.reader(of: feed.path(2))
      #expect(never.wait(timeout: .seconds(10)) == 1)
      #expect(never.errors.text.contains("Network is down"))

      try steer("online", .online)
      let range = 16 << 20..<(16 << 20) + 4096
      #expect(try file.read(range) == Pattern.bytes(range, seed: 1))
      #expect(try feed.bytes(of: feed.path(2)) == Pattern.bytes(0..<1 << 20, seed: 1))
    }

    @Test func offlineNoMoreIsSent() throws {
      let reader = try player()
      _ = try measured("offline, until the origin sends no more") {
        try steer("offline", .offline)
        try feed.settle()
      }
      #expect(reader.wait(timeout: .seconds(10)) == 1)
      #expect(try feed.mediaBytes() < Self.size)
    }

    @Test func whoWaitsWhenItGoesOfflineIsToldAtOnce() throws {
      // Remounts with the default timeout: the reader could wait for a minute.
      try feed.unmount()
      try feed.mount()
      try feed.origin.fault(.stall, below: "/pattern/other")
      let reader = try feed.reader(of: feed.path(2))
      try feed.origin.wait(requests: 1, below: "/pattern/other")
      try steer("offline", .offline)

      #expect(reader.wait(timeout: .seconds(10)) == 1)
      #expect(reader.errors.text.contains("Network is down"))
    }

    // MARK: Private

    /// Starts a reader of the film, and waits until some of it is cached.
    private func player() throws -> ChildProcess {
      let reader = try ChildProcess(["sha256sum", feed.path(1)])
      #expect(eventually { ((try? cached()) ?? 0) > 2 << 20 })
      return reader
    }

    private func expectEnd(of reader: ChildProcess) throws {
      try feed.origin.network(rate: 64 << 20)
      #expect(reader.wait(timeout: .seconds(30)) == 0)
      #expect(reader.output.text.hasPrefix(truth))
    }

    /// Bytes of the film that are cached.
    private func cached() throws -> Int {
      try feed.status().files.first?.cached ?? 0
    }

    private func steer(_ command: String, _ mode: NetworkMode) throws {
      let outcome = try feed.feedfs(command, feed.mountPoint)
      #expect(outcome.status == 0, "\(outcome.err)")
      #expect(outcome.out.contains(mode.rawValue))
      #expect(try feed.status().mode == mode)
    }
  }
}
