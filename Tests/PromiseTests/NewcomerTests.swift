import Control
import TestSupport
import Testing

extension Promises {
  /// The first commands of README.md, typed by a user who has nothing else.
  @Suite(
    .timeLimit(.minutes(3)),
    .unless(OrdinaryUser.obstacle),
    .enabled(if: isInstalled("mpv") && isInstalled("ffmpeg"), "mpv or ffmpeg is not installed"))
  struct NewcomerTests {
    private let newcomer: Newcomer
    private var feed: MountedFeed { newcomer.feed }

    init() throws {
      newcomer = try Newcomer()
    }

    @Test func tenCommandsLeadFromACloneToAFilmAndBack() throws {
      let commands = try firstCommands
      #expect(commands.count == 10)
      try expectTargets(of: commands.prefix(2))
      try Clips.make(in: feed.media)
      // Reading a film preloads the next two, and the second is the last that is read before the
      // pause. So a fifth one is needed.
      for name in ["/4-next.mp4", "/5-far.mp4"] {
        _ = try ChildProcess.run(["cp", feed.media + "/2-back.mp4", feed.media + name])
      }
      defer { _ = try? type("feedfs unmount --force ~/feed; fusermount3 -uqz ~/feed") }
      var left = Array(commands.dropFirst(2))

      try expectSilence(left.removeFirst(), "mkdir")
      try expectSilence(left.removeFirst(), "feedfs mount")
      let names = ["0001.mp4", "0002.mp4", "0003.webm", "0004.mp4", "0005.mp4"]
      #expect(try type("ls ~/feed").out.split(separator: "\n").prefix(5).map(String.init) == names)

      try expect(left.removeFirst(), "mpv")
      #expect(try type("feedfs status 0001.mp4").out.contains("complete"))
      #expect(try expect(left.removeFirst(), "feedfs cache fetch").hasPrefix("complete: 1 file"))
      try feed.origin.fault(.stall, below: "/")
      try expect("cat ~/feed/0002.mp4 | cmp - \(feed.media)/2-back.mp4", "cat")
      try feed.origin.clear(below: "/")
      #expect(try expect(left.removeFirst(), "feedfs status").contains("0002.mp4"))

      #expect(try expect(left.removeFirst(), "feedfs pause").contains("paused"))
      // What was under way has ended.
      try feed.origin.wait(idle: true)
      let asked = try feed.origin.log().count
      let player = try ChildProcess(
        newcomer.shell("cat ~/feed/0005.mp4"), environment: newcomer.environment)
      #expect(player.wait(timeout: .seconds(2)) == nil)
      #expect(try feed.origin.log().count == asked)
      #expect(try expect(left.removeFirst(), "feedfs resume").contains("online"))
      #expect(player.wait(timeout: .seconds(20)) == 0)

      try expectSilence(left.removeFirst(), "feedfs unmount")
      #expect(try type("ls ~/feed").out.isEmpty)
      // The cache is for the next mount.
      #expect(try usedSpace > 1 << 20)
    }

    // MARK: Private

    /// The lines of the first block below the heading.
    private var firstCommands: [String] {
      get throws {
        let text = contents(of: Newcomer.source + "/README.md")
        let section = try #require(text.split(separator: "\n## In ten commands\n").last)
        let block = section.split(separator: "```")[1]
        return block.split(separator: "\n").map { line in
          let words = line.split(separator: "#", maxSplits: 1)[0]
          return String(words).replacing(
            "https://example.org/videos.rss", with: feed.origin.url("/feed.xml"))
        }
      }
    }

    /// Checks the targets with `make -n`, since a build would take minutes.
    private func expectTargets(of commands: some Sequence<String>) throws {
      for command in commands {
        let make = command.replacing("sudo ", with: "").replacing("make ", with: "make -n ")
        let outcome = try ChildProcess.run(["sh", "-c", "cd \(Newcomer.source) && \(make)"])
        #expect(make.hasPrefix("make -n ") && outcome.status == 0, "\(command): \(outcome)")
      }
    }

    private func type(_ line: String) throws -> (status: Int32, out: String, err: String) {
      try newcomer.type(line)
    }

    @discardableResult
    private func expect(_ line: String, _ start: String) throws -> String {
      let outcome = try type(line)
      #expect(line.hasPrefix(start) && outcome.status == 0, "\(line): \(outcome)")
      return outcome.out
    }

    private func expectSilence(_ line: String, _ start: String) throws {
      let outcome = try type(line)
      #expect(line.hasPrefix(start) && outcome == (0, "", ""), "\(line): \(outcome)")
    }

    private var usedSpace: Int {
      get throws {
        let outcome = try type("du -s --block-size=1 ~/.cache/feedfs")
        return Int(outcome.out.prefix { $0.isNumber }) ?? 0
      }
    }
  }
}
