import Control
import Glibc
import TestSupport
import Testing

extension Promises {
  /// `feedfs cache`, with and without a daemon.
  @Suite(.timeLimit(.minutes(3)), .enabled(if: canMount))
  struct CacheCommandTests {
    private static let size = 3 << 20
    private static let files = ["a", "b", "c", "d", "e", "f"].enumerated().map { index, name in
      PatternFile(name: name, size: size, seed: UInt64(index + 1))
    }
    private let feed: MountedFeed

    /// Caches all of the first file, and the head of the second.
    init() throws {
      feed = try MountedFeed()
      try feed.serve(Self.files)
      try feed.mount()
      // Playing the file would preload the next ones.
      #expect(try feed.cache("fetch", "0001.mp4").status == 0)
      #expect(try ChildProcess.run(["head", "-c", "100000", feed.path(2)]).status == 0)
      try feed.settle()
      #expect(try eventually { try !holdsFiles })
    }

    /// Whether the daemon has a file of the cache open. It may for a moment after its reader has
    /// gone.
    private var holdsFiles: Bool {
      get throws {
        try ChildProcess.run(["ls", "-l", "/proc/\(feed.process.pid)/fd"]).out.contains(".data")
      }
    }

    /// The process that holds the cache.
    enum Holder: CaseIterable { case daemon, nobody, deadDaemon }

    @Test(arguments: Holder.allCases) func whatIsKeptIsListed(by holder: Holder) throws {
      try arrange(holder)
      let kept = try feed.kept()
      #expect(kept.keys.contains("0001.mp4") && !kept.keys.contains("0006.mp4"))
      #expect(kept["0001.mp4"]?.isComplete == true && kept["0001.mp4"]?.cached == Self.size)
      #expect(kept["0002.mp4"]?.isComplete == false && kept["0002.mp4"]?.size == Self.size)
      let table = try feed.cache("list").out
      for words in ["0001.mp4", "complete", "3.0 MiB of 3.0 MiB", feed.cacheDirectory] {
        #expect(table.contains(words), "\(table)")
      }
      #expect(try feed.cache("list", "0002.mp4").out.contains("0001.mp4") == false)
    }

    @Test(arguments: Holder.allCases)
    func thePathOfACompleteFileLeadsToItsBytes(by holder: Holder) throws {
      try arrange(holder)
      let outcome = try feed.cache("path", "0001.mp4")
      #expect(outcome.status == 0)
      let path = String(outcome.out.dropLast())
      #expect(try isRight(1, at: path))
      #expect(MountedFeed.isRefusal(try feed.cache("path", "0002.mp4"), 69, "cache fetch"))
      #expect(try feed.cache("path", "0002.mp4", "--partial").status == 0)
      #expect(MountedFeed.isRefusal(try feed.cache("path", "0006.mp4"), 66, "nothing"))
      #expect(MountedFeed.isRefusal(try feed.cache("path", "0009.mp4"), 66, "0009.mp4"))
      guard holder == .daemon else { return }
      for place in [feed.path(1), feed.mountPoint + "/by-title/2026-05-01 a.mp4"] {
        #expect(try feed.feedfs("cache", "path", place).out == outcome.out)
      }
    }

    @Test(arguments: Holder.allCases)
    func verifyFindsAFlippedByteAndItIsMended(by holder: Holder) throws {
      let path = try feed.dataFile()
      try arrange(holder)
      let good = try feed.cache("verify")
      #expect(good.status == 0 && good.out.contains("nothing is wrong"), "\(good)")
      try flip(1 << 20 + 5, of: path)
      let outcome = try feed.cache("verify", "0001.mp4")
      #expect(outcome.status == 0 && outcome.out.contains("0001.mp4: 1 block"), "\(outcome)")
      #expect(outcome.err.isEmpty, "no bar on a pipe")
      #expect(MountedFeed.isRefusal(try feed.cache("verify", "0099.mp4"), 66, "0099.mp4"))
      if holder != .daemon { try feed.mount() }
      try feed.origin.reset()
      #expect(try eventually { try isRight(1) && feed.mediaBytes() > 0 })
      #expect(try feed.cache("verify").out.contains("nothing is wrong"))
    }

    /// The kernel caches the bytes that it was given, right or wrong.
    @Test(arguments: [[], ["--no-passthrough"]])
    func whatTheKernelHasOfAFlippedByteIsMendedToo(options: [String]) throws {
      let path = try feed.dataFile()
      try feed.unmount()
      try feed.mount(options: options)
      try flip(1 << 20 + 5, of: path)
      let reader = try MountedFile(feed.path(1))
      _ = try reader.readAll()
      #expect(try feed.cache("verify", "0001.mp4").out.contains("1 block"))
      try feed.origin.reset()
      let truth = Pattern.bytes(0..<Self.size, seed: 1)
      #expect(try eventually { try MountedFile(feed.path(1)).readAll() == truth })
      #expect(try eventually { try reader.readAll() == truth })
    }

    @Test(arguments: Holder.allCases) func whatIsClearedIsFetchedAnew(by holder: Holder) throws {
      try arrange(holder)
      let before = try feed.usedSpace
      let outcome = try feed.cache("clear", "0001.mp4")
      #expect(outcome.status == 0 && outcome.out.hasPrefix("cleared 1 file"), "\(outcome)")
      #expect(try feed.usedSpace <= before - Self.size + 65536)
      if holder == .daemon {
        #expect(try #require(try feed.status().cache.used) <= before - Self.size + 65536)
      }
      #expect(try feed.kept()["0001.mp4"] == nil && feed.kept()["0002.mp4"] != nil)
      if holder != .daemon { try feed.mount() }
      try feed.origin.reset()
      #expect(try isRight(1))
      try feed.settle()
      #expect(try feed.mediaBytes() >= Self.size)
    }

    @Test(arguments: Holder.allCases) func pinsAreKeptAndCanBeTakenBack(by holder: Holder) throws {
      try arrange(holder)
      #expect(try feed.cache("pin", "0001.mp4", "0003.mp4").out == "pinned 2 files\n")
      #expect(try feed.kept().filter(\.value.isPinned).keys.sorted() == ["0001.mp4", "0003.mp4"])
      // Pinned files are not cleared, named or not.
      #expect(try feed.cache("clear").out.contains("stayed, pinned"))
      let outcome = try feed.cache("clear", "0001.mp4")
      #expect(outcome.status == 69 && outcome.err.contains("unpin"), "\(outcome)")
      #expect(try feed.kept()["0001.mp4"]?.isComplete == true)
      // Bytes under way during the clear may still arrive.
      if holder == .daemon {
        #expect(try eventually { try feed.kept()["0003.mp4"]?.isComplete == true })
      }
      #expect(try feed.cache("unpin", "0001.mp4", "0003.mp4").status == 0)
      #expect(try feed.kept().filter(\.value.isPinned).isEmpty)
      #expect(try feed.cache("clear").status == 0)
      #expect(try feed.kept().filter { $0.value.cached > 0 }.isEmpty)
    }

    @Test(arguments: Holder.allCases)
    func whatNobodyIsLikelyToWantIsPruned(by holder: Holder) throws {
      try arrange(holder)
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
      try arrange(holder)
      let outcome = try feed.cache("prune", "--to", "3M")
      #expect(outcome.status == 0 && outcome.out.contains("iB"), "\(outcome)")
      // Heads and tails of files that may have been preloaded stay, too.
      #expect(try feed.usedSpace <= 3 << 20 + 65536)
      // The bytes that a player asks for first stay.
      #expect(try feed.kept()["0001.mp4"]?.cached ?? 0 > 500_000)
      if holder != .daemon { try feed.mount() }
      #expect(try isRight(1))
    }

    @Test func longCommandsShowHowFarTheyAreOnATerminal() throws {
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

    @Test func nothingIsFetchedWithoutAMount() throws {
      try feed.unmount()
      #expect(MountedFeed.isRefusal(try feed.cache("fetch", "0002.mp4"), 69, "mount the feed"))
    }

    @Test func filesAreFetchedAsAWhole() throws {
      let outcome = try feed.cache("fetch", "0002.mp4", "0003.mp4", "--json")
      #expect(outcome.status == 0 && outcome.err.isEmpty, "\(outcome)")
      let progress = try Wire.decode(FetchProgress.self, from: Array(outcome.out.utf8))
      #expect(progress.files.map(\.isComplete) == [true, true])
      feed.origin.stop()
      #expect(try isRight(2))
      #expect(try isRight(3))
    }

    @Test func whatWasFetchedAndClearedIsFetchedAgain() throws {
      #expect(try feed.cache("clear", "0001.mp4").status == 0)
      let outcome = try feed.cache("fetch", "0001.mp4")
      #expect(outcome.status == 0 && outcome.out.hasPrefix("complete: 1 file"), "\(outcome)")
      #expect(try feed.kept()["0001.mp4"]?.isComplete == true)
    }

    @Test func whileAFileIsFetchedAnotherFeedCanBeMounted() throws {
      let other = try mountEmptyFeed()
      #expect(try feed.feedfs("unmount", other).status == 0)
      try feed.origin.network(rate: 200_000)
      let fetch = try ChildProcess(
        [
          BuiltBinary.path("feedfs"), "cache", "fetch", "0006.mp4", "--cache-dir",
          feed.cacheDirectory,
        ], environment: feed.environment)
      try feed.origin.wait(requests: 1, below: "/pattern/f")
      defer { _ = try? feed.feedfs("unmount", "--force", other) }
      _ = try mountEmptyFeed()
      #expect(fetch.isRunning)
      try feed.origin.network(rate: 0)
      #expect(fetch.wait(timeout: .seconds(30)) == 0, "\(fetch.errors.text)")
    }

    @Test func theNextOnesAreFetched() throws {
      // The daemon does not see passthrough reads, so they do not count as played.
      try feed.unmount()
      try feed.mount(options: ["--no-passthrough"])
      let reader = try MountedFile(feed.path(1))
      for start in stride(from: 0, to: Self.size, by: 128 << 10) {
        _ = try reader.read(start..<start + 128 << 10)
      }
      let empty = try mountEmptyFeed()
      defer { _ = try? feed.feedfs("unmount", "--force", empty) }
      let outcome = try feed.cache("fetch", "--next", "1")
      #expect(outcome.status == 0 && outcome.out.hasPrefix("complete: 1 file"), "\(outcome)")
      #expect(try feed.kept()["0002.mp4"]?.isComplete == true)
      #expect(MountedFeed.isRefusal(try feed.cache("fetch"), 64, "--next"))
    }

    @Test func aCacheThatOthersHoldIsNotTouched() throws {
      try feed.process.freeze()
      defer { _ = try? feed.process.signal(SIGCONT) }
      let outcome = try feed.cache("clear")
      #expect(outcome.status == 75 && outcome.err.contains("process"), "\(outcome)")
      #expect(try feed.usedSpace > Self.size)
    }

    @Test(.enabled(if: OrdinaryUser.obstacle == nil))
    func anotherUserIsRefused() throws {
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
      #expect(try isRight(1))
    }

    /// Mounts another feed, none of whose entries can be next; returns its mount point.
    private func mountEmptyFeed() throws -> String {
      try feed.origin.put(
        #"{"version": "https://jsonfeed.org/version/1.1", "title": "t", "items": [{"id": "1"}]}"#,
        at: "/empty", type: "application/feed+json")
      let place = feed.folder + "/empty"
      mkdir(place, 0o755)
      let outcome = try feed.feedfs("mount", place, "--feed", feed.origin.url("/empty"))
      #expect(outcome.status == 0, "\(outcome.err)")
      return place
    }

    private func arrange(_ holder: Holder) throws {
      switch holder {
      case .daemon: break
      case .nobody: try feed.unmount()
      case .deadDaemon: try feed.kill()
      }
    }

    private func isRight(_ number: Int) throws -> Bool {
      try isRight(number, at: feed.path(number))
    }

    private func isRight(_ number: Int, at path: String) throws -> Bool {
      try MountedFile(path).readAll() == Pattern.bytes(0..<Self.size, seed: UInt64(number))
    }
  }
}
