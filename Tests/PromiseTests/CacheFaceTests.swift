import Control
import Glibc
import TestSupport
import Testing

extension Promises {
  /// The output of each `feedfs cache` command, wherever it is typed.
  @Suite(.timeLimit(.minutes(3)), .enabled(if: canMount)) struct CacheFaceTests {
    private struct Command {
      let words: [String]
      let says: String
      /// The name of the message in docs/control.md.
      let shape: String
    }

    /// Run in this order, the commands leave the file as it was.
    private static let commands: [Command] = [
      Command(
        words: ["fetch", "0001.mp4"], says: "complete: 1 file, 1.0 MiB", shape: "FetchProgress"),
      Command(words: ["list"], says: "1.0 MiB of 1.0 MiB", shape: "KeptFiles"),
      Command(words: ["path", "0001.mp4"], says: ".data", shape: "KeptFiles"),
      Command(words: ["verify"], says: "nothing is wrong", shape: "VerifyOutcome"),
      Command(words: ["prune", "--to", "5G"], says: "pruned 0 files", shape: "CacheOutcome"),
      Command(words: ["pin", "0001.mp4"], says: "pinned 1 file", shape: "CacheOutcome"),
      Command(
        words: ["clear"], says: "1 file stayed in the cache, because pinned: ",
        shape: "CacheOutcome"),
      Command(words: ["unpin", "0001.mp4"], says: "unpinned 1 file", shape: "CacheOutcome"),
      Command(words: ["clear", "0001.mp4"], says: "cleared 1 file", shape: "CacheOutcome"),
    ]
    private let feed: MountedFeed

    init() throws {
      feed = try MountedFeed()
      try feed.serve([PatternFile(name: "a", size: 1 << 20), PatternFile(name: "b", size: 9)])
    }

    @Test func onAPipeEachSaysWhatItHasDone() throws {
      try feed.mount()
      for command in Self.commands {
        let outcome = try feed.cache(command.words)
        #expect(outcome.status == 0 && outcome.err.isEmpty, "\(command.words): \(outcome)")
        #expect(outcome.out.contains(command.says), "\(command.words): \(outcome)")
        #expect(!outcome.out.contains("\u{1B}") && !outcome.out.contains("\r"))
      }
    }

    @Test func onATerminalTheySayTheSame() throws {
      try feed.mount()
      for command in Self.commands {
        let words = ["cache"] + command.words + ["--cache-dir", feed.cacheDirectory]
        let line = try feed.command(words)
        let outcome = try Terminal.run(line, columns: 120, environment: feed.environment)
        #expect(outcome.status == 0, "\(command.words): \(outcome)")
        // The progress bar is drawn over before the last words appear.
        #expect(outcome.text.contains(command.says), "\(command.words): \(outcome.text)")
      }
    }

    @Test func theJSONIsAsItIsDocumented() throws {
      try feed.mount()
      let items = try DocumentedShape("CacheListing")
      for command in Self.commands {
        let shape = try DocumentedShape(command.shape)
          .including(items, "files[].", as: "caches[].files[].")
        let outcome = try feed.cache(command.words + ["--json"])
        #expect(outcome.status == 0 && outcome.err.isEmpty, "\(command.words): \(outcome)")
        #expect(shape.faults(of: try AnyJSON(outcome.out)) == [], "\(command.words)")
      }
    }

    /// Asks the socket directly, as other programs do.
    @Test func theRoutesAnswerAsTheyAreDocumented() throws {
      try feed.mount()
      for (route, message) in [
        ("GET /v1/cache", "CacheListing"), ("POST /v1/cache/fetch?file=0001.mp4", "FetchProgress"),
        ("GET /v1/cache", "CacheListing"), ("POST /v1/cache/verify?file=0001.mp4", "CheckOutcome"),
        ("POST /v1/cache/pin?file=0001.mp4", "CacheOutcome"),
        ("POST /v1/cache/unpin?file=0001.mp4", "CacheOutcome"),
        ("POST /v1/cache/prune?dry-run=1", "CacheOutcome"),
        ("POST /v1/cache/clear", "CacheOutcome"),
      ] {
        let words = route.split(separator: " ").map(String.init)
        let answer = try feed.ask(words[0], words[1])
        #expect(try DocumentedShape(message).faults(of: AnyJSON(answer)) == [], "\(route)")
      }
    }

    @Test func aRequestThatIsNotUnderstoodChangesNothing() throws {
      try feed.mount()
      #expect(try feed.cache("fetch", "0001.mp4").status == 0)
      for wrong in [
        "GET /v1/cache/clear", "POST /v1/cache", "POST /v1/cache/verify", "POST /v1/cache/pin",
        "POST /v1/cache/pin?file=0009.mp4", "POST /v1/cache/fetch?next=0",
        "POST /v1/cache/prune?to=-1", "POST /v1/cache/prune?to=5G",
        "POST /v1/cache/prune?to=0&to=9", "POST /v1/cache/prune?to=0&dry-run=no",
        "POST /v1/cache/clear?file",
        "POST /v1/cache/clear?files=0001.mp4", "GET /v1/cache?file=0001.mp4",
      ] {
        let words = wrong.split(separator: " ").map(String.init)
        let answer = try feed.ask(words[0], words[1])
        #expect(answer.contains("\"error\""), "\(wrong): \(answer)")
      }
      #expect(try feed.kept()["0001.mp4"]?.isComplete == true)
    }

    // MARK: Without a daemon

    @Test func withoutAMountAndWithNothingKeptTheySayThat() throws {
      let says: [([String], Int32, String)] = [
        (["list"], 0, "not mounted, 0 B in "), (["verify"], 0, "0 files"),
        (["prune"], 0, "0 files"),
        (["clear"], 0, "0 files"), (["path", "0001.mp4"], 66, "0001.mp4"),
        (["clear", "0001.mp4"], 66, "0001.mp4"), (["pin", "0001.mp4"], 66, "0001.mp4"),
        (["unpin", "0001.mp4"], 66, "0001.mp4"), (["fetch", "0001.mp4"], 66, "0001.mp4"),
        (["fetch", "--next", "1"], 69, "mount"),
      ]
      for (words, code, text) in says {
        let outcome = try feed.cache(words)
        guard code != 0 else {
          #expect(outcome.status == 0 && outcome.out.contains(text), "\(words): \(outcome)")
          continue
        }
        #expect(MountedFeed.isRefusal(outcome, code, text), "\(words): \(outcome)")
      }
      #expect(access(feed.cacheDirectory, F_OK) != 0, "looking makes nothing")
    }

    /// The mount is still in the mount table and its socket exists, but neither answers.
    @Test func aDeadDaemonsSocketKeepsNobodyFromTheCache() throws {
      try feed.mount()
      #expect(try feed.cache("fetch", "0001.mp4").status == 0)
      try feed.killWithoutATrace()
      #expect(access(try feed.socket, F_OK) == 0)
      #expect(MountedFeed.isRefusal(try feed.cache("fetch", "0001.mp4"), 69, "mount it first"))
      for command in Self.commands where command.words[0] != "fetch" {
        let outcome = try feed.cache(command.words)
        #expect(outcome.status == 0 && outcome.err.isEmpty, "\(command.words): \(outcome)")
        #expect(outcome.out.contains(command.says), "\(command.words): \(outcome)")
      }
    }

    @Test(.unless(OrdinaryUser.obstacle))
    func anothersCacheIsNotTheirsToLookAtOrToChange() throws {
      try feed.mount()
      #expect(try feed.cache("fetch", "0001.mp4").status == 0)
      let user = try OrdinaryUser()
      chmod(feed.folder, 0o755)
      var environment = feed.environment
      environment["XDG_RUNTIME_DIR"] = .some(nil)
      for command in Self.commands {
        let line = [user.feedfs, "cache"] + command.words + ["--cache-dir", feed.cacheDirectory]
        let outcome = try ChildProcess.run(user.run(line), environment: environment)
        #expect(MountedFeed.isRefusal(outcome, 77, ""), "\(command.words): \(outcome)")
      }
      #expect(try feed.kept()["0001.mp4"]?.isComplete == true)
    }
  }
}
