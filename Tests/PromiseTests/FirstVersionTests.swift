import Control
import Glibc
import TestSupport
import Testing

extension Promises {
  /// Cache, state and configuration of the first version, read without its origin.
  @Suite(
    .timeLimit(.minutes(3)), .enabled(if: isInstalled("python3"), "python3 is not installed"))
  struct FirstVersionTests {
    /// A mount of the first version that was looked at.
    enum Mount: String, CaseIterable {
      case orderly, orderlySeveral = "orderly-several", killed

      var life: FirstVersion.Life { self == .killed ? .killed : .orderly }

      var options: [String] {
        let feed = ["--feed", FirstVersion.feed, "--sidecars", "subtitles"]
        return ["--offline"] + (self == .orderlySeveral ? [] : feed)
      }
    }

    /// The first look finds what the first version wrote, the second one also what this version
    /// made of it.
    @Test(arguments: Mount.allCases)
    func namesNumbersInodesBytesAndPinsAreAsTheFirstVersionShowedThem(of mount: Mount) throws {
      let feed = try MountedFeed(after: mount.life)
      for _ in 1...2 {
        try feed.mountSubscriptions(options: mount.options)
        try feed.expectFacts(in: mount.rawValue, "mount", at: feed.mountPoint)
        try feed.unmount()
      }
    }

    @Test func cacheAndSubscriptionsAreAsTheFirstVersionListedThem() throws {
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
        #expect(try file.read(range) == FirstVersion.bytes(range, of: "whole"))
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
      #expect(eventually { resumed.hasShown("resuming at 0:15") }, "\(resumed.log)")
    }

    // MARK: Other formats

    /// The state of a feed with a file of another format.
    private func stateWithLines(of format: Int, in feed: MountedFeed) throws -> (
      path: String, text: String
    ) {
      let folder = "state/feedfs/68ff67a2371b07b837b2d958d757d87b/"
      try #require(access(feed.folder + "/" + folder + "catalog.json", F_OK) == 0)
      let text = "feedfs lines \(format)\n50 1000000 http://127.0.0.1:47811\n"
      try feed.write(text, to: folder + "lines")
      return (feed.folder + "/" + folder + "lines", text)
    }

    @Test func aFileOfAnOlderFormatIsSetAsideAndListedAndPruned() throws {
      let feed = try MountedFeed(after: .orderly)
      let (path, text) = try stateWithLines(of: 0, in: feed)
      for count in [1, 0] {
        try feed.mountSubscriptions(options: Mount.orderly.options)
        let told = try feed.log.split(separator: "\n").filter {
          $0.contains("has an older format that feedfs cannot read")
        }
        #expect(told.count == count && told.allSatisfy { $0.contains(path) }, "\(told)")
        try feed.unmount()
      }
      #expect(contents(of: path + ".old") == text)
      #expect(try feed.cache("list").out.contains("lines.old"))
      #expect(try feed.cache("prune").status == 0)
      #expect(access(path + ".old", F_OK) != 0)
      #expect(try !feed.cache("list").out.contains("lines.old"))
    }

    @Test func aFileOfALaterFeedfsStaysAndTheLogSaysSoOnce() throws {
      let feed = try MountedFeed(after: .orderly)
      let (path, text) = try stateWithLines(of: 2, in: feed)
      try feed.mountSubscriptions(options: Mount.orderly.options)
      let told = try feed.log.split(separator: "\n").filter {
        $0.contains("was written by a later feedfs, and stays as it is")
      }
      #expect(told.count == 1 && told[0].contains(path), "\(told)")
      try feed.unmount()
      #expect(contents(of: path) == text && access(path + ".old", F_OK) != 0)
      // Commands for the cache do not need it.
      #expect(try feed.cache("list").status == 0 && contents(of: path) == text)
    }

    @Test(.enabled(if: isInstalled("mpv"), "mpv is not installed"))
    func thePlacesThatALaterFeedfsSavedStay() throws {
      let feed = try MountedFeed(after: .orderly)
      let path = feed.folder + "/state/feedfs/positions.json"
      let later = #"{"schema":2,"places":[]}"#
      try feed.write(later, to: "state/feedfs/positions.json")
      try feed.mountSubscriptions(options: Mount.orderly.options)
      let player = try WatchedPlayer(of: feed, ["--from", "15"])
      #expect(player.waits(for: [feed.name(15)]))
      try player.tell("\"quit\"")
      #expect(player.command.wait(timeout: .seconds(10)) == 0)
      let told = player.command.errors.text.split(separator: "\n").filter {
        $0.contains("\(path) was written by a later feedfs, and stays as it is")
      }
      #expect(told.count == 1, "\(player.command.errors.text)")
      #expect(contents(of: path) == later)
    }
  }
}

extension MountedFeed {
  /// Makes a user who has lived with the first version.
  fileprivate convenience init(after life: FirstVersion.Life) throws {
    try self.init()
    let place = folder + "/first"
    mkdir(place, 0o700)
    try FirstVersion.unpack(life, into: place)
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
    in name: String, _ subject: String, at place: String,
    location: SourceLocation = #_sourceLocation
  ) throws {
    let recorded = try FirstVersion.facts(in: name)
    let outcome = try ChildProcess.run(
      ["python3", FirstVersion.look, BuiltBinary.path("feedfs"), subject, place],
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
