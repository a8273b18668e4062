import Control
import Glibc
import TestSupport
import Testing

extension Promises {
  /// Directories and files that another user made, or could change, are not used.
  @Suite(.timeLimit(.minutes(2))) struct PlantedTests {
    private let feed: MountedFeed

    init() throws {
      feed = try MountedFeed()
      try feed.serve([PatternFile(name: "a", size: 100_000)])
    }

    /// A directory of feedfs.
    enum Place: String, CaseIterable, Sendable {
      case cache = "cache"
      case cacheOfTheFeed
      case state = "state/feedfs"
      case stateOfTheFeed
    }

    /// A replacement for a directory that is the user's alone.
    enum Plant: CaseIterable, Sendable {
      case link, file, foreign, groupWritable, worldWritable

      var words: String {
        switch self {
        case .link, .file: "symbolic link or not a directory"
        case .foreign: "belongs to user 65534"
        case .groupWritable, .worldWritable: "can be written by others"
        }
      }
    }

    @Test(arguments: Place.allCases, Plant.allCases)
    func aDirectoryThatIsNotOursAloneIsRefused(place: Place, plant: Plant) throws {
      guard plant != .foreign || geteuid() == 0 else { return }
      // Mounts properly first: the names of a feed's directories are hashes.
      try mountOnce()
      let target = feed.folder + "/elsewhere"
      mkdir(target, 0o700)
      try put(plant, at: try path(of: place), target: target)

      for way in [[], ["--foreground"]] {
        let outcome = try feed.feedfs(["mount", feed.mountPoint, "--feed", url] + way)
        #expect(MountedFeed.isRefusal(outcome, 77, plant.words), "\(way): \(outcome)")
        #expect(!feed.isMounted)
      }
      #expect(try ChildProcess.run(["find", target, "-mindepth", "1"]).out.isEmpty)
    }

    enum LogPlant: CaseIterable, Sendable {
      case link, danglingLink, hardLink, directory, pipe
    }

    @Test(arguments: LogPlant.allCases)
    func aLogThatLeadsElsewhereIsRefused(plant: LogPlant) throws {
      try mountOnce()
      let log = try found("-name", "feedfs.log")
      let victim = feed.folder + "/victim"
      try feed.write("mine", to: "victim")
      unlink(log)
      switch plant {
      case .link: symlink(victim, log)
      case .danglingLink: symlink(feed.folder + "/new", log)
      case .hardLink: Glibc.link(victim, log)
      case .directory: mkdir(log, 0o700)
      case .pipe: mkfifo(log, 0o600)
      }
      let outcome = try feed.feedfs("mount", feed.mountPoint, "--feed", url)
      #expect([73, 74, 77].contains(outcome.status), "\(outcome)")
      #expect(MountedFeed.isRefusal(outcome, outcome.status, "feedfs.log"), "\(outcome)")
      #expect(contents(of: victim) == "mine" && access(feed.folder + "/new", F_OK) != 0)
    }

    /// Another user cannot plant anything in a feed's cache, but a restored backup may hold links.
    @Test func linksInPlaceOfCachedFilesAreNotFollowed() throws {
      try feed.mount()
      #expect(try feed.bytes(of: feed.path(1)).count == 100_000)
      try feed.unmount()
      try feed.write("mine", to: "victim")
      let script = """
        find "$1" -type f | while read -r file; do ln -sf "$2" "$file"; done
        find "$3" -name 'catalog.json*' | while read -r file; do ln -sf "$2" "$file"; done
        """
      let victim = feed.folder + "/victim"
      _ = try ChildProcess.run(
        ["sh", "-c", script, "sh", feed.cacheDirectory, victim, feed.folder + "/state"])
      let outcome = try feed.feedfs("mount", feed.mountPoint, "--feed", url)
      if outcome.status == 0 {
        let read = try ChildProcess.run(["cmp", feed.path(1), feed.path(1)])
        #expect(read.status == 0, "\(read.err)")
        _ = try feed.feedfs("unmount", "--force", feed.mountPoint)
      } else {
        #expect(MountedFeed.isRefusal(outcome, outcome.status, feed.folder), "\(outcome)")
      }
      #expect(contents(of: victim) == "mine")
    }

    // MARK: The socket

    @Test(arguments: Plant.allCases)
    func aSocketThatSomebodyElseCouldMakeIsNotAsked(plant: Plant) throws {
      guard plant != .foreign || geteuid() == 0 else { return }
      try feed.mount()
      let run = feed.folder + "/run/feedfs"
      let moved = feed.folder + "/moved"
      #expect(rename(run, moved) == 0)
      try put(plant, at: run, target: moved)
      let outcome = try feed.feedfs("feed", "refresh", feed.mountPoint)
      #expect(MountedFeed.isRefusal(outcome, 77, "is not a directory for you alone"), "\(outcome)")
    }

    @Test(arguments: Plant.allCases)
    func noSocketIsMadeWhereSomebodyElseCouldTakeItsPlace(plant: Plant) throws {
      guard plant != .foreign || geteuid() == 0 else { return }
      let run = feed.folder + "/run/feedfs"
      let target = feed.folder + "/elsewhere"
      mkdir(target, 0o700)
      try put(plant, at: run, target: target)
      try feed.mount()
      #expect(try feed.process.errors.text.contains("is not a directory for you alone"))
      #expect(try ChildProcess.run(["find", feed.folder, "-type", "s"]).out.isEmpty)
      #expect(try feed.bytes(of: feed.path(1)).count == 100_000)
    }

    @Test func socketLogAndCatalogAreTheirUsersAlone() throws {
      #expect(try feed.feedfs("mount", feed.mountPoint, "--feed", url).status == 0)
      defer { _ = try? feed.feedfs("unmount", "--force", feed.mountPoint) }
      #expect(try feed.bytes(of: feed.path(1)).count == 100_000)
      let open = try ChildProcess.run([
        "find", feed.folder + "/run/feedfs", feed.folder + "/state/feedfs", feed.cacheDirectory,
        "(", "-type", "d", "-perm", "/077", ")", "-o",
        "(", "-type", "f", "-perm", "/022", ")",
      ])
      #expect(open.status == 0 && open.out.isEmpty, "\(open)")
    }

    // MARK: The configuration file

    @Test(arguments: [
      (mode_t(0o666), "others may write"), (0o602, "others may write"), (0o644, "headers"),
    ])
    func aConfigurationOthersCouldWriteOrReadIsRefused(mode: mode_t, words: String) throws {
      try feed.write(
        "[[feed]]\nurl = \"\(url)\"\nheaders = { X-Key = \"hunter2\" }\n",
        to: MountedFeed.configuration, mode: mode)
      for command in [["mount", feed.mountPoint], ["feed", "list"]] {
        let outcome = try feed.feedfs(command)
        #expect(MountedFeed.isRefusal(outcome, 77, words), "\(outcome)")
        #expect(!outcome.err.contains("hunter2"))
      }
    }

    @Test(.enabled(if: geteuid() == 0, "needs root to give a file away"))
    func aConfigurationOfAnotherUserIsRefused() throws {
      try feed.write("", to: MountedFeed.configuration)
      chown(feed.folder + "/" + MountedFeed.configuration, 65534, 65534)
      #expect(MountedFeed.isRefusal(try feed.feedfs("feed", "list"), 77, "user 65534"))
    }

    /// Values of the configuration are judged without being shown.
    @Test(arguments: [
      "headers = { X-Key = \"hunter2\\r\\nEvil: 1\" }", "headers = { X-Key = \"hunter2\\u0000\" }",
      "headers = { Host = \"hunter2\" }", "headers = { \"X\\r\\nEvil\" = \"hunter2\" }",
      "[pins]\n\"e.org\" = \"/hunter2\"",
    ])
    func fieldsAndPinsThatAreNoneAreRefusedInOneLine(text: String) throws {
      try feed.write("[[feed]]\nurl = \"\(url)\"\n\(text)\n", to: MountedFeed.configuration)
      let outcome = try feed.feedfs("mount", feed.mountPoint)
      #expect(MountedFeed.isRefusal(outcome, 78, "config.toml"), "\(outcome)")
      #expect(!outcome.err.contains("hunter2"))
      #expect(try feed.origin.log().isEmpty)
    }

    // MARK: Private

    /// Mounts and unmounts: the files of a mount stay, its daemon has ended.
    private func mountOnce() throws {
      let mounted = try feed.feedfs("mount", feed.mountPoint, "--feed", url)
      #expect(mounted.status == 0, "\(mounted)")
      let pid = try feed.status().pid
      #expect(try feed.feedfs("unmount", feed.mountPoint).status == 0)
      #expect(eventually(within: .seconds(30)) { link("/proc/\(pid)/exe").isEmpty })
    }

    private var url: String { feed.origin.url("/feed") }

    private func path(of place: Place) throws -> String {
      switch place {
      case .cache, .state: feed.folder + "/" + place.rawValue
      case .cacheOfTheFeed: try folder(of: "epoch")
      case .stateOfTheFeed: try folder(of: "catalog.json")
      }
    }

    private func folder(of name: String) throws -> String {
      let path = try found("-name", name)
      return String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)])
    }

    private func found(_ condition: String...) throws -> String {
      let paths = try ChildProcess.run(
        ["find", feed.cacheDirectory, feed.folder + "/state"] + condition)
      return try #require(paths.out.split(separator: "\n").first.map(String.init))
    }

    private func put(_ plant: Plant, at path: String, target: String) throws {
      switch plant {
      case .link, .file: _ = try ChildProcess.run(["rm", "-rf", path])
      case .foreign, .groupWritable, .worldWritable: mkdir(path, 0o700)
      }
      switch plant {
      case .link: symlink(target, path)
      case .file: _ = try ChildProcess.run(["touch", path])
      case .foreign: chown(path, 65534, 65534)
      case .groupWritable: chmod(path, 0o720)
      case .worldWritable: chmod(path, 0o702)
      }
    }
  }
}
