import Control
import Glibc
import TestSupport
import Testing

extension Promises {
  /// Without its origin a mount starts, lists, and plays its cached bytes.
  @Suite(.timeLimit(.minutes(Claim.minutes)), .whateverLengthTheFeedClaims) struct OfflineTests {
    private static let size = 4 << 20

    private func feed() throws -> MountedFeed {
      let feed = try MountedFeed()
      try serve(by: feed)
      return feed
    }

    private func serve(by feed: any Drive) throws {
      // While one plays, those that come next are preloaded, and these would be whole soon. So the
      // one that is read first comes last, and nothing comes before the one that is never read.
      try feed.serve([
        PatternFile(name: "never", size: 1 << 20), PatternFile(name: "part", size: Self.size),
        PatternFile(name: "whole", size: 1 << 20),
      ])
    }

    /// The way in which an origin goes away.
    enum Absence: CaseIterable, Sendable {
      /// Connections are refused.
      case stopped
      /// Connections are made, but no answer comes.
      case frozen
    }

    @Test(arguments: Absence.allCases)
    func aMountStartsFromWhatItKnowsAndPlaysWhatItHas(absence: Absence) throws {
      let feed = try feed()
      try feed.mount()
      let truth = Pattern.bytes(0..<(1 << 20), seed: 1)
      #expect(try feed.bytes(of: feed.path(3)) == truth)
      #expect(try read(feed, at: 0).status == 0)
      try feed.settle()
      let cached = try feed.status().files.map(\.cached)
      try #require(cached[0] < 1 << 20 && cached[1] <= 1 << 20, "\(cached)")
      try feed.unmount()
      switch absence {
      case .stopped: feed.origin.stop()
      case .frozen: feed.origin.freeze()
      }

      let (_, start) = try measured("start of a mount, origin \(absence)") {
        try feed.mount(options: ["--read-timeout", Duration.seconds(3).option])
      }
      #expect(start < .seconds(3).here)
      let (listing, time) = try measured("ls -l, origin \(absence)") {
        try ChildProcess.run(["ls", "-l", feed.mountPoint])
      }
      // A listing that asked the origin would wait for three.
      #expect(time < .seconds(2).here)
      for words in ["1048576", "0001.mp4", "\(Self.size)", "0002.mp4", "0003.mp4"] {
        #expect(listing.out.contains(words))
      }
      let (bytes, reading) = try measured("cached bytes, origin \(absence)") {
        try feed.bytes(of: feed.path(3))
      }
      #expect(bytes == truth)
      #expect(reading < .seconds(2).here)

      let doomed = try feed.reader(of: feed.path(2), at: 3 << 20)
      try #require(feed.waitUntilReading([(doomed, feed.path(2))]))
      doomed.signal(SIGKILL)
      #expect(doomed.wait(timeout: .seconds(10)) == 128 + SIGKILL)

      let unproved = try ChildProcess(["cat", feed.path(1)])
      let missing = try measured("a missing byte, origin \(absence)") {
        try read(feed, at: 2 << 20)
      }
      #expect(missing.result.status == 1)
      #expect(missing.result.error.contains("Input/output error"))
      #expect(missing.time > .seconds(2) && missing.time < .seconds(10).here)
      #expect(unproved.wait(timeout: .seconds(10)) == 1)
      #expect(unproved.errors.text.contains("Input/output error"))
    }

    /// An origin of this process cannot be frozen.
    @Test(arguments: DriveKind.cases(direct: [.stopped], kernel: Absence.allCases))
    func aReaderThatWaitsGoesOnWhenTheOriginComesBack(on drive: DriveKind, absence: Absence) throws
    {
      let feed = try drive.drive()
      try serve(by: feed)
      try feed.mount()
      #expect(
        try feed.reading(of: feed.path(2)).end(.seconds(20))
          == .bytes(Pattern.bytes(0..<(64 << 10), seed: 1)))
      switch absence {
      case .stopped: try feed.origin.stopListening()
      case .frozen: feed.origin.freeze()
      }
      let reading = try feed.reading(of: feed.path(2), at: 2 << 20)
      try #require(eventually { reading.isWaiting() })
      // Long enough for the daemon to notice, and for its probes to slow down.
      #expect(reading.end(.seconds(2)) == nil)

      let (end, time) = try measured("going on after \(absence)") {
        switch absence {
        case .stopped: try feed.origin.listenAgain()
        case .frozen: feed.origin.thaw()
        }
        return reading.end(.seconds(30))
      }
      #expect(time < Figure.goingOn.time.here)
      #expect(end == .bytes(Pattern.bytes(2 << 20..<(2 << 20) + (64 << 10), seed: 1)))
    }

    /// The refresh comes long before its schedule, which waits five minutes at least.
    @Test func aFeedThatDidNotAnswerIsAskedAgainWhenOneOfItsFilesIs() throws {
      let feed = try feed()
      try feed.mount()
      try feed.unmount()
      try feed.origin.stopListening()
      try feed.mount()
      #expect(try eventually { try feed.status().feeds[0].error != nil })
      #expect(try #require(feed.status().feeds[0].retryIn) > 100)
      try feed.origin.listenAgain()
      #expect(try read(feed, at: 0).status == 0)

      #expect(try eventually(within: .seconds(45)) { try feed.status().feeds[0].error == nil })
    }

    private func read(_ feed: MountedFeed, at offset: Int) throws -> (status: Int32?, error: String)
    {
      let child = try feed.reader(of: feed.path(2), at: offset)
      let status = child.wait(timeout: .seconds(20))
      return (status, child.errors.text)
    }
  }
}
