import Control
import Glibc
import TestSupport
import Testing

extension Promises {
  /// mpv while the mount under it is paused, limited or offline: one process, one handle.
  @Suite(
    .timeLimit(.minutes(3)),
    .enabled(if: isInstalled("mpv") && isInstalled("ffmpeg"), "mpv or ffmpeg is not installed"))
  struct SteeredPlayerTests {
    private let feed: MountedFeed

    /// Makes a film of 20 s and 15 MB, which comes about as fast as it is played.
    init() throws {
      feed = try MountedFeed()
      let film = try ChildProcess.run([
        "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=640x360:rate=25", "-t", "20",
        "-c:v", "mpeg4", "-b:v", "6M", "-minrate", "6M", "-q:v", "1", "-movflags", "+faststart",
        "\(feed.media)/1.mp4",
      ])
      #expect(film.status == 0, "\(film.err)")
      try feed.origin.network(latency: .milliseconds(1), rate: 500_000)
    }

    /// Mounts, and returns an mpv that has begun to play.
    private func play(_ options: [String] = []) throws -> WatchedPlayer {
      try feed.mount("/feed.xml", options: options)
      let player = try WatchedPlayer(
        of: feed, mpv: ["--keep-open=always", "--keep-open-pause=no"])
      #expect(eventually(every: .milliseconds(100)) { (try? player.position) ?? 0 > 1 })
      return player
    }

    @Test func afterAPauseItGoesOn() throws {
      let player = try play(["--read-timeout", Duration.seconds(2).option])
      let handle = try handles(of: player)
      try steer("pause")
      let held = try feed.mediaBytes()
      let place = try player.position
      // mpv plays the cached bytes. It is paused before it comes to their end, for longer than a read
      // may wait without a pause.
      #expect(
        try eventually(within: .seconds(40), every: .milliseconds(100)) { try isPaused(player) })
      #expect(try player.position >= place)
      #expect(player.command.wait(timeout: .seconds(3)) == nil)
      #expect(try feed.mediaBytes() == held)
      #expect(try player.ask("\"get_property\", \"eof-reached\"") == "False")

      try hurry()
      try steer("resume")
      try expectEnd(of: player, with: handle)
    }

    /// mpv takes an error for the end. Then the same film is opened again.
    @Test func offlineItPlaysWhatIsThereAndOnlineItGoesOn() throws {
      let player = try play()
      try steer("offline")
      let held = try feed.mediaBytes()
      #expect(
        try eventually(within: .seconds(40), every: .milliseconds(100)) { try isPaused(player) })
      let place = try player.position
      #expect(place < 19)
      #expect(try feed.mediaBytes() == held)

      try hurry()
      try steer("online")
      try player.tell("\"set_property\", \"speed\", 4")
      #expect(
        try eventually(within: .seconds(40), every: .milliseconds(100)) { try player.position > 19 }
      )
      #expect(player.opened.allSatisfy { $0 == feed.name(1) })
    }

    @Test func aLimitThatIsSetAndLiftedIsNoMoreThanSlow() throws {
      let player = try play()
      let handle = try handles(of: player)
      #expect(try feed.feedfs("limit", "100K", feed.mountPoint).status == 0)
      try hurry()
      let start = ContinuousClock.now
      let before = try cached
      #expect(try eventually { try cached > before + 300 << 10 })
      // No machine is too slow for this check: slowness only adds time.
      #expect(ContinuousClock.now - start > .milliseconds(1500))

      #expect(try feed.feedfs("limit", "off", feed.mountPoint).status == 0)
      try expectEnd(of: player, with: handle)
    }

    // MARK: Private

    private func steer(_ command: String) throws {
      #expect(try feed.feedfs(command, feed.mountPoint).status == 0)
      try feed.settle()
    }

    private var cached: Int {
      get throws { try feed.status().files.first?.cached ?? 0 }
    }

    private func hurry() throws {
      try feed.origin.network(latency: .milliseconds(1), rate: 64 << 20)
    }

    private func isPaused(_ player: WatchedPlayer) throws -> Bool {
      try player.ask("\"get_property\", \"pause\"") == "True"
    }

    /// Checks that mpv plays to the end, in the same process and with the same handle.
    private func expectEnd(of player: WatchedPlayer, with handle: [String]) throws {
      try player.tell("\"set_property\", \"speed\", 4")
      // mpv closes a file that it has read to the end.
      let now = try handles(of: player)
      #expect(now == handle || now == [])
      #expect(
        try eventually(within: .seconds(40), every: .milliseconds(100)) { try player.position > 19 }
      )
      #expect(handle.count == 1)
      #expect(player.opened.count == 1)
      try player.tell("\"quit\"")
      #expect(player.command.wait(timeout: .seconds(10)) == 0, "\(player.command.errors.text)")
    }

    /// The descriptors of mpv that are open on the film.
    private func handles(of player: WatchedPlayer) throws -> [String] {
      let open = try ChildProcess.run(["find", "/proc/\(player.pid)/fd", "-lname", feed.path(1)])
      return open.out.split(separator: "\n").map(String.init)
    }
  }
}
