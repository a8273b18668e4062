import Glibc
import TestSupport
import Testing

extension Promises {
  /// The ends of `feedfs play`, and its errors.
  @Suite(
    .timeLimit(.minutes(3)),
    .enabled(if: isInstalled("mpv") && isInstalled("ffmpeg"), "mpv or ffmpeg is not installed"))
  struct PlayErrorTests {
    private let feed: MountedFeed
    private let written: WrittenFeed

    init() throws {
      feed = try MountedFeed()
      try feed.makeFilm("film", seconds: 60)
      try feed.link("film", as: 1)
      var item = WrittenFeed.Item(1)
      item.media = "/files/1.mp4"
      written = WrittenFeed(pages: [[item]])
      try written.serve(by: feed)
    }

    @Test func withoutAMountThereIsNothingToPlay() throws {
      for place in [feed.mountPoint, feed.folder + "/nowhere"] {
        try expect(66, "no feed is mounted at \(place)", ["play", place])
      }
      // A killed daemon leaves its socket, which does not answer.
      try feed.mount(written.path)
      try feed.kill()
      #expect(try !ChildProcess.run(["ls", feed.folder + "/run/feedfs"]).out.isEmpty)
      try expect(66, "no feed is mounted at", ["play", feed.mountPoint])
    }

    @Test func aDaemonThatIsStoppedIsNotWaitedForForEver() throws {
      try feed.mount(written.path)
      try feed.process.freeze()
      try expect(69, "does not answer", ["play", feed.mountPoint])
      try feed.process.signal(SIGCONT)
    }

    @Test func whatCannotBePlayedIsRefusedInOneLine() throws {
      try feed.mount(written.path)
      let mount = feed.mountPoint
      try expect(66, "no entry 9", ["play", mount, "--from", "9"])
      try expect(66, "no entry 0009.mp4", ["play", mount + "/0009.mp4"])
      try expect(64, "give only one of the two", ["play", feed.path(1), "--from", "1"])
      try expect(66, "no folder of a feed with that name", ["play", mount, "--feed", "x"])
      try expect(69, "there is no player nothing", ["play", mount, "--player", "nothing"])
      try expect(64, "work only with mpv", ["play", mount, "--loop", "--player", "true"])
      try expect(66, "there is no entry x in", ["play", mount, "--from", "x"])
      try expect(69, "exit code 1", ["play", mount, "--player", "false"])
    }

    @Test(.unless(OrdinaryUser.obstacle))
    func anothersMountIsNotOnesToPlay() throws {
      try feed.mount(written.path)
      let user = try OrdinaryUser()
      chmod(feed.folder, 0o755)
      let outcome = try ChildProcess.run(
        user.run([user.feedfs, "play", feed.mountPoint]), environment: ["HOME": "/nonexistent"])
      #expect(outcome.status == 77 && outcome.err.contains("--allow-other"), "\(outcome.err)")
      #expect(outcome.err.split(separator: "\n").count == 1)
    }

    @Test func anMPVThatCannotBeginHasSaidWhy() throws {
      try feed.mount(written.path)
      let outcome = try feed.feedfs(
        "play", feed.mountPoint, "--", "--no-config", "--no-such-option")
      #expect(outcome.status == 69 && outcome.err.contains("could not start"), "\(outcome)")
      #expect((outcome.out + outcome.err).contains("no-such-option"))
    }

    @Test func whatIsNoFilmIsAnErrorOfItsOwn() throws {
      _ = try ChildProcess.run([
        "dd", "if=/dev/urandom", "of=\(feed.media)/1.mp4", "bs=1K", "count=99",
      ])
      try feed.mount(written.path)
      let player = try feed.feedfs(
        "play", feed.mountPoint, "--", "--no-config", "--vo=null", "--ao=null")
      #expect(player.status == 74 && player.err.contains("nothing could be played"), "\(player)")
    }

    /// mpv ends each film early, as its user wishes, which is no error.
    @Test(arguments: [StreamShape.transport, .timeline])
    func aStreamOfWhichTheUserWantsABeginningAloneHasPlayed(shape: StreamShape) throws {
      let streams = try StreamFeed(shape, films: 2)
      try streams.mount()
      let player = try streams.feed.feedfs(
        "play", streams.feed.mountPoint, "--", "--no-config", "--vo=null", "--ao=null",
        "--really-quiet", "--length=1")
      #expect(player.status == 0 && player.err.isEmpty, "\(player)")
    }

    @Test func anotherPlayerIsGivenTheListAndNothingMore() throws {
      try feed.mount(written.path)
      try feed.write("#!/bin/sh\nprintf '%s,' \"$@\"\nexit 0\n", to: "vlc")
      chmod(feed.folder + "/vlc", 0o755)
      mkdir(feed.folder + "/.config", 0o755)
      mkdir(feed.folder + "/.config/feedfs", 0o700)
      try feed.write("player = \"\(feed.folder)/vlc\"\n", to: ".config/feedfs/config.toml")
      let outcome = try feed.feedfs("play", feed.mountPoint, "--", "--fullscreen", "a b")
      #expect(outcome.status == 0, "\(outcome.err)")
      #expect(outcome.out == "--fullscreen,a b,\(feed.mountPoint)/playlist.m3u8,")
    }

    /// Ends the command by Ctrl-C on a terminal, and by a signal without one.
    @Test(arguments: [true, false]) func itsEndIsTheEndOfMPV(terminal: Bool) throws {
      try feed.mount(written.path)
      let player = try WatchedPlayer(of: feed, terminal: terminal)
      #expect(player.waits(for: ["0001.mp4"]))
      #expect(try eventually(every: .milliseconds(100)) { try player.position > 5 })
      let mpv = player.pid
      if terminal { try player.command.write("\u{3}") } else { player.command.signal(SIGTERM) }
      #expect(player.command.wait(timeout: .seconds(10)) == 130, "\(player.command.errors.text)")
      #expect(kill(mpv, 0) != 0)
      #expect(contents(of: feed.folder + "/state/feedfs/positions.json").contains("\"seconds\""))
    }

    /// mpv waits in a read that may take ten minutes, and cannot react.
    @Test func aPlayerThatWaitsInAPauseEndsWithItsCommand() throws {
      try feed.mount(written.path)
      #expect(try feed.feedfs("pause", feed.mountPoint).status == 0)
      let player = try WatchedPlayer(of: feed)
      let mpv = player.pid
      player.command.signal(SIGTERM)
      #expect(player.command.wait(timeout: .seconds(10)) == 130, "\(player.command.errors.text)")
      #expect(kill(mpv, 0) != 0)
    }

    @Test func aCommandThatIsKilledTakesMPVWithIt() throws {
      try feed.mount(written.path)
      let player = try WatchedPlayer(of: feed)
      #expect(player.waits(for: ["0001.mp4"]))
      player.command.signal(SIGKILL)
      #expect(eventually { kill(player.pid, 0) != 0 })
    }

    private func expect(_ code: Int32, _ words: String, _ arguments: [String]) throws {
      let outcome = try feed.feedfs(arguments)
      #expect(outcome.status == code && outcome.err.contains(words), "\(arguments): \(outcome)")
      #expect(outcome.err.hasPrefix("feedfs: ") && outcome.err.split(separator: "\n").count == 1)
      #expect(outcome.out.isEmpty)
    }
  }
}
