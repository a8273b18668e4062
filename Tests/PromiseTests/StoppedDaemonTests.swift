import Control
import Glibc
import TestSupport
import Testing

extension Promises {
  /// A stopped daemon holds no command up.
  @Suite(.timeLimit(.minutes(5)), .enabled(if: canMount)) struct StoppedDaemonTests {
    /// The arguments and exit codes of each command; MOUNT, FILE and FEED stand for those of the
    /// test.
    private static let lines: [String: (rest: [String], codes: Set<Int32>)] = [
      "mount": (["MOUNT", "--feed", "FEED", "--cache-dir", "MOUNT-cache"], [75]),
      "unmount": (["MOUNT"], [69]), "umount": (["MOUNT"], [69]), "status": (["MOUNT"], [69]),
      "play": (["MOUNT"], [69]),
      "pause": (["MOUNT"], [69]), "resume": (["MOUNT"], [69]), "offline": (["MOUNT"], [69]),
      "online": (["MOUNT"], [69]), "limit": (["1M", "MOUNT"], [69]),
      "metered": (["on", "MOUNT"], [69]), "completion": (["bash"], [0]),
      "cache list": ([], [69, 75]), "cache path": (["FILE"], [66, 69, 75]),
      "cache verify": ([], [69, 75]), "cache prune": ([], [69, 75]), "cache clear": ([], [69, 75]),
      "cache pin": (["FILE"], [66, 69, 75]), "cache unpin": (["FILE"], [66, 69, 75]),
      "cache fetch": (["FILE"], [66, 69, 75]), "feed list": ([], [0]),
      "feed show": (["FEED"], [0]), "feed add": (["FEED"], [0]),
      "feed remove": (["FEED"], [0, 66]),
      "feed import": (["FEED"], [66]), "feed export": ([], [0]), "feed refresh": (["MOUNT"], [69]),
      "feed more": (["MOUNT"], [69]), "doctor": ([], [69]),
    ]

    /// The program's own table of its commands.
    private struct Table: Decodable {
      struct Command: Decodable {
        let commandName: String
        let aliases: [String]?
        let subcommands: [Command]?

        /// Commands that do something, each with the words before it.
        func names(below path: [String] = []) -> [String] {
          let own = subcommands?.filter { $0.commandName != "help" } ?? []
          guard !own.isEmpty else { return [path.joined(separator: " ")] }
          return own.flatMap { command in
            ([command.commandName] + (command.aliases ?? [])).flatMap {
              command.names(below: path + [$0])
            }
          }
        }
      }

      let command: Command
    }

    private func commandNames() throws -> [String] {
      let table = try feed.feedfs("--experimental-dump-help")
      return try Wire.decode(Table.self, from: Array(table.out.utf8)).command.names()
    }

    private let feed: MountedFeed

    init() throws {
      feed = try MountedFeed()
      try feed.serve([PatternFile(name: "a", size: 1 << 20)])
      try feed.mount()
      for name in ["other", "mount-cache"] { mkdir(feed.folder + "/" + name, 0o700) }
    }

    @Test(arguments: ["run", "other"])
    func everyCommandAnswersWithinSixSeconds(runtimeDirectory: String) throws {
      let names = try commandNames()
      #expect(Set(names) == Set(Self.lines.keys), "a command is missing here")
      var environment = feed.environment
      environment["XDG_RUNTIME_DIR"] = feed.folder + "/" + runtimeDirectory
      try feed.process.freeze()
      defer { _ = try? feed.process.signal(SIGCONT) }
      // Four at once, since each does nothing but wait.
      for start in stride(from: 0, to: names.count, by: 4) {
        try expectAnswers(from: names[start..<min(start + 4, names.count)], environment)
      }
      try feed.process.signal(SIGCONT)
      #expect(try feed.feedfs("status", feed.mountPoint).status == 0)
      try feed.unmount()
    }

    private func expectAnswers(
      from names: ArraySlice<String>, _ environment: [String: String?]
    ) throws {
      let running = try names.map { name in
        let line = try #require(Self.lines[name])
        let words = name.split(separator: " ").map(String.init) + line.rest.map(meant)
        let child = try ChildProcess([BuiltBinary.path("feedfs")] + words, environment: environment)
        return (name, line.codes, child, ContinuousClock.now)
      }
      for (name, codes, child, start) in running {
        let status = child.wait(timeout: .seconds(20))
        let time = start.duration(to: .now)
        let said = child.errors.text
        #expect(status.map(codes.contains) == true, "\(name): \(status ?? -1), \(said)")
        #expect(time < Figure.commands.time.here, "\(name): \(time)")
        #expect(
          status == 0 || name == "doctor" || said.split(separator: "\n").count == 1, "\(said)")
      }
    }

    /// The commands run one after the other, as a user types them: each has the machine to itself.
    @Test(arguments: ["status", "pause", "cache list", "play", "unmount", "doctor"])
    func aCommandOfAnotherRuntimeDirectoryIsNotHeldUp(name: String) throws {
      var environment = feed.environment
      environment["XDG_RUNTIME_DIR"] = feed.folder + "/other"
      try feed.process.freeze()
      defer { _ = try? feed.process.signal(SIGCONT) }
      let line = try #require(Self.lines[name])
      let words = name.split(separator: " ").map(String.init) + line.rest.map(meant)
      let (outcome, time) = try measured("\(name) beside a stopped daemon") {
        try ChildProcess.run([BuiltBinary.path("feedfs")] + words, environment: environment)
      }
      #expect(line.codes.contains(outcome.status), "\(outcome)")
      #expect(time < Figure.commands.time.here)
    }

    @Test func forceEndsItFromAnotherRuntimeDirectory() throws {
      var environment = feed.environment
      environment["XDG_RUNTIME_DIR"] = feed.folder + "/other"
      try feed.process.freeze()
      defer { _ = try? feed.process.signal(SIGCONT) }
      let (outcome, time) = try measured("unmount --force of a stopped daemon") {
        try ChildProcess.run(
          [BuiltBinary.path("feedfs"), "unmount", "--force", feed.mountPoint],
          environment: environment)
      }
      #expect(outcome.status == 0 && time < Figure.commands.time.here, "\(outcome)")
      #expect(!feed.isMounted)
    }

    /// The path says whose file it is: no other mount is asked.
    @Test(arguments: ["clear", "pin"])
    func aFileOfAnotherMountIsChangedAtOnce(command: String) throws {
      let other = try MountedFeed()
      try other.serve([PatternFile(name: "b", size: 1 << 20)])
      try other.mount()
      _ = try other.digest(of: other.path(1))
      try feed.process.freeze()
      defer { _ = try? feed.process.signal(SIGCONT) }
      let (outcome, time) = try measured("cache \(command) beside a stopped daemon") {
        try other.feedfs("cache", command, other.path(1))
      }
      #expect(outcome.status == 0 && outcome.out.contains("1 file"), "\(outcome)")
      #expect(time < .seconds(2).here)
      try other.unmount()
    }

    /// A command may have another runtime directory than the daemon, as under cron.
    @Test(arguments: [["status"], ["pause"], ["resume"], ["feed", "refresh"], ["cache", "list"]])
    func aDaemonThatAnswersIsFoundFromAnotherRuntimeDirectory(words: [String]) throws {
      var environment = feed.environment
      environment["XDG_RUNTIME_DIR"] = feed.folder + "/other"
      let place = words[0] == "cache" ? feed.path(1) : feed.mountPoint
      let outcome = try ChildProcess.run(
        [BuiltBinary.path("feedfs")] + words + [place], environment: environment)
      #expect(outcome.status == 0 && outcome.err.isEmpty, "\(outcome)")
    }

    private func meant(_ word: String) -> String {
      word.replacing("MOUNT-cache", with: feed.folder + "/mount-cache")
        .replacing("MOUNT", with: feed.mountPoint).replacing("FILE", with: feed.path(1))
        .replacing("FEED", with: feed.origin.url("/feed"))
    }
  }
}
