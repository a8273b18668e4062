import Control
import Glibc
import TestSupport
import Testing

extension Promises {
  /// Cache, state and configuration of an earlier version, read without its origin.
  @Suite(
    .timeLimit(.minutes(3)), .enabled(if: isInstalled("python3"), "python3 is not installed"))
  struct EarlierVersionTests {
    /// A mount of the earlier version that was looked at.
    enum Mount: String, CaseIterable {
      case orderly, orderlySeveral = "orderly-several", killed

      var life: EarlierVersion.Life { self == .killed ? .killed : .orderly }

      var options: [String] {
        let feed = ["--feed", EarlierVersion.feed, "--sidecars", "subtitles"]
        return ["--offline"] + (self == .orderlySeveral ? [] : feed)
      }
    }

    /// The first look finds what the earlier version wrote, the second one also what this version
    /// made of it.
    @Test(arguments: Mount.allCases)
    func namesNumbersInodesBytesAndPinsAreAsTheEarlierVersionShowedThem(of mount: Mount) throws {
      let feed = try MountedFeed(after: mount.life)
      for _ in 1...2 {
        try feed.mountSubscriptions(options: mount.options)
        try feed.expectFacts(in: mount.rawValue, "mount", at: feed.mountPoint)
        try feed.unmount()
      }
    }

    @Test func cacheAndSubscriptionsAreAsTheEarlierVersionListedThem() throws {
      let feed = try MountedFeed(after: .orderly)
      try feed.expectFacts(in: "orderly-commands", "commands", at: feed.cacheDirectory)
    }

    @Test func theConfigurationHoldsAndStaysAsItsUserWroteIt() throws {
      let feed = try MountedFeed(after: .orderly)
      let path = feed.folder + "/" + MountedFeed.configuration
      let text = contents(of: path)
      #expect(text.contains("# What is mine") && text.contains("headers"))
      try feed.mountSubscriptions(options: ["--offline"])
      #expect(try feed.status().cache.limit == 3 << 30)
      try feed.unmount()
      #expect(contents(of: path) == text)

      #expect(try feed.feedfs("feed", "add", "--force", "http://example.org/more").status == 0)
      let after = contents(of: path).split(separator: "\n")
      #expect(text.split(separator: "\n").allSatisfy(after.contains))
      #expect(after.contains { $0.contains("http://example.org/more") })
    }

    @Test func aFlippedByteInTheCacheOfAKilledMountIsNotShown() throws {
      let feed = try MountedFeed(after: .killed)
      try flip(100_000, of: feed.dataFile("0002.mp4"))
      try feed.mountSubscriptions(options: Mount.killed.options)
      let file = try MountedFile(feed.path(2))
      let damaged = 65_536..<131_072
      #expect(try file.failure(of: damaged) != 0)
      for range in [0..<damaged.lowerBound, damaged.upperBound..<2 << 20] {
        #expect(try file.read(range) == EarlierVersion.bytes(range, of: "whole"))
      }
    }

    @Test(.enabled(if: isInstalled("mpv"), "mpv is not installed"))
    func aPlaceInAFilmIsOfferedAndTaken() throws {
      let feed = try MountedFeed(after: .orderly)
      try feed.mountSubscriptions(options: Mount.orderly.options)
      let offered = try WatchedPlayer(of: feed, ["--from", "15"])
      #expect(eventually { offered.hasShown("stopped at 0:34") }, "\(offered.log)")
      try offered.tell("\"quit\"")
      #expect(offered.command.wait(timeout: .seconds(10)) == 0)

      // Without a number it begins with the film that was left last.
      let resumed = try WatchedPlayer(of: feed, ["--resume"])
      #expect(resumed.waits(for: [feed.name(17)]))
      #expect(eventually { resumed.hasShown("going on at 0:15") }, "\(resumed.log)")
    }

    /// The way back, to a feedfs of commit a9c4781.
    @Suite(.enabled(if: getenv("FEEDFS_OLDER_BINARY") != nil, "there is no older feedfs"))
    struct WayBackTests {
      private let older: String

      init() throws {
        older = try #require(getenv("FEEDFS_OLDER_BINARY").map { String(cString: $0) })
      }

      @Test(arguments: Mount.allCases)
      func theEarlierVersionLosesNothingOfWhatThisVersionHasTouched(of mount: Mount) throws {
        let feed = try MountedFeed(after: mount.life)
        for program in [nil, older, nil] {
          try feed.mountSubscriptions(options: mount.options, with: program)
          try feed.expectFacts(in: mount.rawValue, "mount", at: feed.mountPoint, by: program)
          try feed.unmount()
        }
      }

      @Test func theEarlierVersionReadsWhatThisVersionPinsAndAdds() throws {
        let feed = try MountedFeed(after: .orderly)
        try feed.mountSubscriptions(options: Mount.orderly.options)
        #expect(try feed.cache("pin", feed.path(5)).status == 0)
        try feed.unmount()
        #expect(try feed.feedfs("feed", "add", "--force", "http://example.org/more").status == 0)

        try feed.mountSubscriptions(options: Mount.orderly.options, with: older)
        for (number, isPinned) in [(1, false), (3, true), (5, true)] {
          let file = try #require(feed.status().files.first { $0.name == feed.name(number) })
          #expect(file.pinned == isPinned && file.cached > 0, "\(number)")
        }
        try feed.unmount()
        let list = try ChildProcess.run([older, "feed", "list"], environment: feed.environment)
        #expect(list.status == 0 && list.out.contains("http://example.org/more"))
      }
    }
  }
}

extension MountedFeed {
  /// Makes a user who has lived with the earlier version.
  fileprivate convenience init(after life: EarlierVersion.Life) throws {
    try self.init()
    let place = folder + "/earlier"
    mkdir(place, 0o700)
    try EarlierVersion.unpack(life, into: place)
    let moves = [
      ("cache/feedfs", cacheDirectory), ("state", folder + "/state"),
      ("config", folder + "/.config"),
    ]
    for (from, to) in moves where rename("\(place)/\(from)", to) != 0 {
      // The killed life had no configuration.
      guard errno == ENOENT, life == .killed, from == "config" else {
        throw TestToolError("\(from) cannot be moved to \(to): \(String(cString: strerror(errno)))")
      }
    }
  }

  /// Looks at a mount, or asks the commands, and compares with the recorded facts. New attributes,
  /// documents and lines of documents may have come since.
  fileprivate func expectFacts(
    in name: String, _ subject: String, at place: String, by program: String? = nil,
    location: SourceLocation = #_sourceLocation
  ) throws {
    let recorded = try EarlierVersion.facts(in: name)
    let outcome = try ChildProcess.run(
      ["python3", EarlierVersion.look, program ?? BuiltBinary.path("feedfs"), subject, place],
      environment: environment, timeout: .seconds(60))
    #expect(outcome.status == 0, "\(outcome.err)", sourceLocation: location)
    let now = outcome.out.split(separator: "\n").map(String.init)
    let difference = now.difference(from: recorded)
    let lost = difference.removals.compactMap { change in
      if case .remove(_, let fact, _) = change { fact } else { nil }
    }
    let new = difference.insertions.compactMap { change in
      if case .insert(_, let fact, _) = change { fact } else { nil }
    }
    #expect(recorded.count > 20, sourceLocation: location)
    #expect(lost == [], sourceLocation: location)
    let known = new.filter { fact in
      !["attribute\t", "document\t", "line\t"].contains(where: fact.hasPrefix)
    }
    #expect(known == [], sourceLocation: location)
  }
}
