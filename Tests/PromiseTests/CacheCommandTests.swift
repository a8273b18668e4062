import Control
import Glibc
import Quantities
import TestSupport
import Testing

extension Promises {
  /// `feedfs cache`, with and without a daemon.
  @Suite(.timeLimit(.minutes(3))) struct CacheCommandTests {
    private static let size = 3 << 20
    private static let files = ["a", "b", "c", "d", "e", "f"].enumerated().map { index, name in
      PatternFile(name: name, size: size, seed: UInt64(index + 1))
    }

    private func feed(on drive: DriveKind) throws -> any Drive {
      let feed = try drive.drive()
      try arrange(feed)
      return feed
    }

    private func feed() throws -> MountedFeed {
      let feed = try MountedFeed()
      try arrange(feed)
      return feed
    }

    /// Caches all of the first file, and the head of the second.
    private func arrange(_ feed: any Drive) throws {
      try feed.serve(Self.files)
      try feed.mount()
      // Playing the file would preload the next ones.
      try feed.fetch(["0001.mp4"])
      #expect(try feed.open(feed.path(2)).read(0..<100_000).count == 100_000)
      // While the second file was open, the next ones were preloaded, one request after the other.
      #expect(try eventually { try !holdsFiles(feed) })
      try feed.settle()
    }

    /// Whether the mount has a file of the cache open. It may for a moment after its reader has
    /// gone.
    private func holdsFiles(_ feed: any Drive) throws -> Bool {
      let process = try (feed as? MountedFeed)?.process.pid ?? getpid()
      return try ChildProcess.run(["ls", "-l", "/proc/\(process)/fd"]).out.split(separator: "\n")
        .contains { $0.contains(feed.cacheDirectory) && $0.hasSuffix(".data") }
    }

    /// The process that holds the cache.
    enum Holder: CaseIterable { case daemon, nobody, deadDaemon }

    /// A direct drive has no daemon that can die, and a command takes a dead one for nobody.
    private static let holders = DriveKind.cases(
      direct: [Holder.daemon, .nobody],
      kernel: Scale.isFull ? Holder.allCases : [.daemon, .deadDaemon])

    @Test(arguments: holders) func whatIsKeptIsListed(on drive: DriveKind, by holder: Holder) throws
    {
      let feed = try feed(on: drive)
      try arrange(holder, feed)
      let kept = try feed.kept()
      #expect(kept.keys.contains("0001.mp4") && !kept.keys.contains("0006.mp4"))
      #expect(kept["0001.mp4"]?.isComplete == true && kept["0001.mp4"]?.cached == Self.size)
      #expect(kept["0002.mp4"]?.isComplete == false && kept["0002.mp4"]?.size == Self.size)
      guard let feed = feed as? MountedFeed else { return }
      let table = try feed.cache("list").out
      for words in ["0001.mp4", "complete", "3.0 MiB of 3.0 MiB", feed.cacheDirectory] {
        #expect(table.contains(words), "\(table)")
      }
      #expect(try feed.cache("list", "0002.mp4").out.contains("0001.mp4") == false)
      for place in holder == .daemon ? ["nothing", feed.path(99)] : ["nothing"] {
        let refused = try feed.cache("list", place)
        #expect(MountedFeed.isRefusal(refused, 66, "there is no such file"), "\(refused)")
      }
      guard holder == .daemon else { return }
      #expect(try feed.cache("list", feed.path(6)).status == 0)
    }

    @Test(arguments: Holder.allCases)
    func thePathOfACompleteFileLeadsToItsBytes(by holder: Holder) throws {
      let feed = try feed()
      try arrange(holder, feed)
      let outcome = try feed.cache("path", "0001.mp4")
      #expect(outcome.status == 0)
      let path = String(outcome.out.dropLast())
      #expect(try isRight(1, at: path))
      #expect(MountedFeed.isRefusal(try feed.cache("path", "0002.mp4"), 69, "cache fetch"))
      #expect(try feed.cache("path", "0002.mp4", "--partial").status == 0)
      #expect(MountedFeed.isRefusal(try feed.cache("path", "0006.mp4"), 66, "is not cached"))
      #expect(MountedFeed.isRefusal(try feed.cache("path", "0009.mp4"), 66, "0009.mp4"))
      guard holder == .daemon else { return }
      for place in [feed.path(1), feed.mountPoint + "/by-title/2026-05-01 a.mp4"] {
        #expect(try feed.feedfs("cache", "path", place).out == outcome.out)
      }
    }

    @Test(arguments: holders)
    func verifyFindsAFlippedByteAndItIsMended(on drive: DriveKind, by holder: Holder) throws {
      let feed = try feed(on: drive)
      let path = try #require(try feed.kept()["0001.mp4"]?.path)
      try arrange(holder, feed)
      #expect(try feed.verify([]) == [:])
      try flip(1 << 20 + 5, of: path)
      if let feed = feed as? MountedFeed {
        let outcome = try feed.cache("verify", "0001.mp4")
        #expect(outcome.status == 0 && outcome.out.contains("0001.mp4: 1 block"), "\(outcome)")
        #expect(outcome.err.isEmpty, "no bar on a pipe")
        #expect(MountedFeed.isRefusal(try feed.cache("verify", "0099.mp4"), 66, "0099.mp4"))
      } else {
        #expect(try feed.verify(["0001.mp4"]) == ["0001.mp4": 1])
        #expect(throws: CommandRefusal.self) { try feed.verify(["0099.mp4"]) }
      }
      if holder != .daemon { try feed.mount() }
      try feed.origin.reset()
      #expect(try eventually { try isRight(1, of: feed) && feed.mediaBytes() > 0 })
      #expect(try feed.verify([]) == [:])
    }

    /// The kernel caches the bytes that it was given, right or wrong. A film that is opened after the
    /// flip, or read through the daemon, is compared before: see `CleanerTests`.
    @Test(arguments: [[], ["--no-passthrough"]])
    func whatTheKernelHasOfAFlippedByteIsMendedToo(options: [String]) throws {
      let feed = try feed()
      let path = try feed.dataFile()
      try feed.unmount()
      try feed.mount(options: options)
      let reader = try MountedFile(feed.path(1))
      _ = try reader.read(0..<1)
      try flip(1 << 20 + 5, of: path)
      if options.isEmpty, Passthrough.obstacle == nil { _ = try reader.readAll() }
      #expect(try feed.cache("verify", "0001.mp4").out.contains("1 block"))
      try feed.origin.reset()
      let truth = Pattern.bytes(0..<Self.size, seed: 1)
      #expect(try eventually { try MountedFile(feed.path(1)).readAll() == truth })
      #expect(try eventually { try reader.readAll() == truth })
    }

    @Test(arguments: holders)
    func whatIsClearedIsFetchedAnew(on drive: DriveKind, by holder: Holder) throws {
      let feed = try feed(on: drive)
      try arrange(holder, feed)
      let before = try feed.usedSpace
      if let feed = feed as? MountedFeed {
        let outcome = try feed.cache("clear", "0001.mp4")
        #expect(outcome.status == 0 && outcome.out.hasPrefix("cleared 1 file"), "\(outcome)")
      } else {
        #expect(try feed.change(.clear(["0001.mp4"])).files.count == 1)
      }
      #expect(try feed.usedSpace <= before - Self.size + 65536)
      if holder == .daemon {
        #expect(try #require(try feed.status().cache.used) <= before - Self.size + 65536)
      }
      #expect(try feed.kept()["0001.mp4"] == nil && feed.kept()["0002.mp4"] != nil)
      if holder != .daemon { try feed.mount() }
      try feed.origin.reset()
      #expect(try isRight(1, of: feed))
      try feed.settle()
      #expect(try feed.mediaBytes() >= Self.size)
    }

    @Test(arguments: holders)
    func pinsAreKeptAndCanBeTakenBack(on drive: DriveKind, by holder: Holder) throws {
      let feed = try feed(on: drive)
      try arrange(holder, feed)
      if let feed = feed as? MountedFeed {
        #expect(try feed.cache("pin", "0001.mp4", "0003.mp4").out == "pinned 2 files\n")
      } else {
        #expect(try feed.change(.pin(["0001.mp4", "0003.mp4"])).files.count == 2)
      }
      #expect(try feed.kept().filter(\.value.isPinned).keys.sorted() == ["0001.mp4", "0003.mp4"])
      // Pinned files are not cleared, named or not.
      if let feed = feed as? MountedFeed {
        #expect(try feed.cache("clear").out.contains("stayed in the cache, because pinned"))
        let outcome = try feed.cache("clear", "0001.mp4")
        #expect(outcome.status == 69 && outcome.err.contains("unpin"), "\(outcome)")
      } else {
        #expect(try feed.change(.clear([])).pinned.contains { $0.hasSuffix("0001.mp4") })
        #expect(try feed.change(.clear(["0001.mp4"])).pinned.count == 1)
      }
      #expect(try feed.kept()["0001.mp4"]?.isComplete == true)
      // Bytes under way during the clear may still arrive.
      if holder == .daemon {
        #expect(try eventually { try feed.kept()["0003.mp4"]?.isComplete == true })
      }
      #expect(try feed.change(.unpin(["0001.mp4", "0003.mp4"])).files.count == 2)
      #expect(try feed.kept().filter(\.value.isPinned).isEmpty)
      _ = try feed.change(.clear([]))
      #expect(try feed.kept().filter { $0.value.cached > 0 }.isEmpty)
    }

    @Test(arguments: Holder.allCases)
    func whatNobodyIsLikelyToWantIsPruned(by holder: Holder) throws {
      let feed = try feed()
      try arrange(holder, feed)
      #expect(try feed.cache("prune").out == "pruned 0 files\n")
      let path = try feed.dataFile()
      #expect(try ChildProcess.run(["touch", "-d", "40 days ago", path]).status == 0)
      let rehearsal = try feed.cache("prune", "--older-than", "30d", "--dry-run").out
      #expect(rehearsal.hasPrefix("would prune 1 file") && rehearsal.contains("0001.mp4"))
      #expect(try feed.kept()["0001.mp4"]?.isComplete == true)
      #expect(
        try feed.cache("prune", "--older-than", "30d").out.hasPrefix("pruned 1 file"))
      #expect(try feed.kept()["0001.mp4"] == nil && feed.kept()["0002.mp4"] != nil)
      #expect(MountedFeed.isRefusal(try feed.cache("prune", "--older-than", "soon"), 64, "older"))
    }

    @Test(arguments: Holder.allCases) func theCacheIsPrunedToASize(by holder: Holder) throws {
      let feed = try feed()
      try arrange(holder, feed)
      let outcome = try feed.cache("prune", "--to", "3M")
      #expect(outcome.status == 0 && outcome.out.contains("iB"), "\(outcome)")
      // Heads and tails of files that may have been preloaded stay, too.
      #expect(try feed.usedSpace <= 3 << 20 + 65536)
      // The bytes that a player asks for first stay.
      #expect(try feed.kept()["0001.mp4"]?.cached ?? 0 > 500_000)
      if holder != .daemon { try feed.mount() }
      #expect(try isRight(1, of: feed))
    }

    @Test(arguments: Holder.allCases)
    func aPruneThatCannotGetSoSmallSaysWhatStays(by holder: Holder) throws {
      let feed = try feed()
      try arrange(holder, feed)
      #expect(try !feed.cache("prune", "--to", "1G").out.contains("stay"))
      for words in [["--dry-run"], []] {
        let outcome = try feed.cache(["prune", "--to", "1K"] + words)
        let line = outcome.out.split(separator: "\n").first { $0.contains(" stay cached: ") }
        #expect(outcome.status == 0 && line?.contains("beginning and end") == true, "\(outcome)")
      }
      let json = try feed.cache("prune", "--to", "1K", "--json").out
      let left = try Wire.decode(CacheOutcome.self, from: Array(json.utf8)).stay ?? 0
      let used = try feed.usedSpace
      // The directories take up some space too.
      #expect(left > 500_000 && abs(left - used) < 1 << 20, "\(left) of \(used)")
    }

    @Test(arguments: Holder.allCases)
    func aRehearsalOfAPruneSaysWhatThePruneTakes(by holder: Holder) throws {
      let feed = try feed()
      try arrange(holder, feed)
      let words = ["prune", "--to", "1M"]
      let rehearsal = try feed.cache(words + ["--dry-run"]).out.split(separator: "\n")
        .filter { !$0.contains(" stay cached: ") }
      let used = try feed.usedSpace
      let outcome = try feed.cache(words + ["--json"])
      let pruned = try Wire.decode(CacheOutcome.self, from: Array(outcome.out.utf8))
      #expect(try feed.usedSpace < used)
      #expect(pruned.freed > 1 << 20)
      #expect(Array(rehearsal.dropFirst()).map(String.init) == pruned.files)
      let files = Quantity.count(pruned.files.count, "file")
      #expect(rehearsal.first == "would prune \(files), \(Quantity.bytes(pruned.freed))")
    }

    @Test func longCommandsShowHowFarTheyAreOnATerminal() throws {
      let feed = try feed()
      try feed.origin.network(rate: 1 << 20)
      for (command, words) in [
        (["verify"], "verified"), (["fetch", "0006.mp4"], "fetched"),
      ] {
        let program =
          "import os,pty,sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))"
        let outcome = try ChildProcess.run(
          ["python3", "-c", program, BuiltBinary.path("feedfs"), "cache"] + command
            + ["--cache-dir", feed.cacheDirectory], environment: feed.environment)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.out.contains(" %") && outcome.out.contains("#"), "\(outcome.out)")
        #expect(outcome.out.contains("MiB \(words)") || outcome.out.contains("KiB \(words)"))
        if words == "fetched" {
          #expect(outcome.out.contains("/s") && outcome.out.contains(" s left"), "\(outcome.out)")
        }
      }
    }

    /// The loader of the system writes down each function of libcurl that is looked for.
    @Test func filesOfUnmountedFeedsAreListedWithoutAnHTTPClient() throws {
      let feed = try feed()
      try feed.unmount()
      let report = feed.folder + "/bindings"
      let outcome = try ChildProcess.run(
        feed.command(["cache", "list", "--cache-dir", feed.cacheDirectory]),
        environment: feed.environment.merging(
          ["LD_DEBUG": "bindings", "LD_DEBUG_OUTPUT": report]) { $1 }, timeout: .seconds(60))
      #expect(outcome.out.contains("0001.mp4"), "\(outcome)")
      let found = try ChildProcess.run(
        ["sh", "-c", "grep -ho '`curl_[a-z_]*' '\(report)'* | sort -u"]
      ).out.split(separator: "\n")
      // Addresses are parsed by libcurl.
      #expect(found.contains("`curl_url"), "\(found)")
      #expect(!found.contains("`curl_share_init") && !found.contains("`curl_multi_wakeup"))
    }

    @Test func nothingIsFetchedWithoutAMount() throws {
      let feed = try feed()
      try feed.unmount()
      #expect(MountedFeed.isRefusal(try feed.cache("fetch", "0002.mp4"), 69, "mount it first"))
    }

    @Test(arguments: DriveKind.all) func filesAreFetchedAsAWhole(on drive: DriveKind) throws {
      let feed = try feed(on: drive)
      if let feed = feed as? MountedFeed {
        let outcome = try feed.cache("fetch", "0002.mp4", "0003.mp4", "--json")
        #expect(outcome.status == 0 && outcome.err.isEmpty, "\(outcome)")
        let progress = try Wire.decode(FetchProgress.self, from: Array(outcome.out.utf8))
        #expect(progress.files.map(\.isComplete) == [true, true])
      } else {
        try feed.fetch(["0002.mp4", "0003.mp4"])
      }
      feed.origin.stop()
      #expect(try isRight(2, of: feed))
      #expect(try isRight(3, of: feed))
    }

    @Test(arguments: DriveKind.all) func whatWasFetchedAndClearedIsFetchedAgain(on drive: DriveKind)
      throws
    {
      let feed = try feed(on: drive)
      #expect(try feed.change(.clear(["0001.mp4"])).files.count == 1)
      if let feed = feed as? MountedFeed {
        let outcome = try feed.cache("fetch", "0001.mp4")
        #expect(outcome.status == 0 && outcome.out.hasPrefix("complete: 1 file"), "\(outcome)")
      } else {
        try feed.fetch(["0001.mp4"])
      }
      #expect(try feed.kept()["0001.mp4"]?.isComplete == true)
    }

    @Test func whileAFileIsFetchedAnotherFeedCanBeMounted() throws {
      let feed = try feed()
      let other = try mountEmptyFeed(beside: feed)
      #expect(try feed.feedfs("unmount", other).status == 0)
      try feed.origin.network(rate: 200_000)
      let fetch = try ChildProcess(
        [
          BuiltBinary.path("feedfs"), "cache", "fetch", "0006.mp4", "--cache-dir",
          feed.cacheDirectory,
        ], environment: feed.environment)
      try feed.origin.wait(requests: 1, below: "/pattern/f")
      defer { _ = try? feed.feedfs("unmount", "--force", other) }
      _ = try mountEmptyFeed(beside: feed)
      #expect(fetch.isRunning)
      try feed.origin.network(rate: 0)
      #expect(fetch.wait(timeout: .seconds(30)) == 0, "\(fetch.errors.text)")
    }

    @Test func theNextOnesAreFetched() throws {
      let feed = try feed()
      // The daemon does not see passthrough reads, so they do not count as played.
      try feed.unmount()
      try feed.mount(options: ["--no-passthrough"])
      let reader = try MountedFile(feed.path(1))
      for start in stride(from: 0, to: Self.size, by: 128 << 10) {
        _ = try reader.read(start..<start + 128 << 10)
      }
      let empty = try mountEmptyFeed(beside: feed)
      defer { _ = try? feed.feedfs("unmount", "--force", empty) }
      let outcome = try feed.cache("fetch", "--next", "1")
      #expect(outcome.status == 0 && outcome.out.hasPrefix("complete: 1 file"), "\(outcome)")
      #expect(try feed.kept()["0002.mp4"]?.isComplete == true)
      #expect(MountedFeed.isRefusal(try feed.cache("fetch"), 64, "--next"))
    }

    @Test func aCacheThatOthersHoldIsNotTouched() throws {
      let feed = try feed()
      try feed.process.freeze()
      defer { _ = try? feed.process.signal(SIGCONT) }
      let outcome = try feed.cache("clear")
      #expect(outcome.status == 75 && outcome.err.contains("process"), "\(outcome)")
      #expect(try feed.usedSpace > Self.size)
    }

    @Test(.unless(OrdinaryUser.obstacle))
    func anotherUserIsRefused() throws {
      let feed = try feed()
      let other = try OrdinaryUser()
      chmod(feed.folder, 0o755)
      try other.own([feed.folder + "/run"])
      for command in ["list", "clear", "verify"] {
        let outcome = try ChildProcess.run(
          other.run([other.feedfs, "cache", command, "--cache-dir", feed.cacheDirectory]),
          environment: feed.environment)
        #expect(outcome.status == 77, "\(command): \(outcome)")
        #expect(outcome.err.split(separator: "\n").count == 1, "\(outcome.err)")
      }
      #expect(try isRight(1, of: feed))
    }

    /// Mounts another feed, none of whose entries can be next; returns its mount point.
    private func mountEmptyFeed(beside feed: MountedFeed) throws -> String {
      try feed.origin.put(
        #"{"version": "https://jsonfeed.org/version/1.1", "title": "t", "items": [{"id": "1"}]}"#,
        at: "/empty", type: "application/feed+json")
      let place = feed.folder + "/empty"
      mkdir(place, 0o755)
      let outcome = try feed.feedfs("mount", place, "--feed", feed.origin.url("/empty"))
      #expect(outcome.status == 0, "\(outcome.err)")
      return place
    }

    private func arrange(_ holder: Holder, _ feed: any Drive) throws {
      switch holder {
      case .daemon: break
      case .nobody: try feed.unmount()
      case .deadDaemon: try #require(feed as? MountedFeed).kill()
      }
    }

    private func isRight(_ number: Int, of feed: any Drive) throws -> Bool {
      try feed.open(feed.path(number)).readAll() == truth(number)
    }

    private func isRight(_ number: Int, at path: String) throws -> Bool {
      try MountedFile(path).readAll() == truth(number)
    }

    private func truth(_ number: Int) -> [UInt8] {
      Pattern.bytes(0..<Self.size, seed: UInt64(number))
    }
  }
}
