import TestSupport
import Testing

extension Promises {
  /// Players and their tools see the mount as a folder of ordinary files.
  @Suite(.timeLimit(.minutes(3)), .enabled(if: isInstalled("ffmpeg"), "ffmpeg is not installed"))
  struct ProgramTests {
    @Test(.enabled(if: isInstalled("ffprobe"), "ffprobe is not installed"))
    func ffprobeFindsWhatIsInAFile() throws {
      try onlineAndOffline { file in
        let probe = [
          "ffprobe", "-v", "error", "-show_entries", "format=duration:stream=codec_type", "-of",
          "default=nk=1:nw=1", file,
        ]
        let outcome = try ChildProcess.run(probe)
        #expect(outcome.err == "" && outcome.status == 0)
        let words = outcome.out.split(whereSeparator: \.isWhitespace)
        #expect(words.prefix(2).sorted() == ["audio", "video"])
        let duration = try #require(words.last.flatMap { Double($0) })
        #expect(abs(duration - Clips.seconds) < 0.5)
      }
    }

    @Test func ffmpegDecodesToTheEndWithoutAnError() throws {
      try onlineAndOffline { file in
        let decode = ["ffmpeg", "-v", "error", "-xerror", "-i", file, "-f", "null", "-"]
        let outcome = try ChildProcess.run(decode)
        #expect(outcome.err == "" && outcome.status == 0)
      }
    }

    @Test(.enabled(if: isInstalled("mpv"), "mpv is not installed"))
    func mpvPlaysToTheEnd() throws {
      try onlineAndOffline { file in
        let play = [
          "mpv", "--no-config", "--vo=null", "--ao=null", "--ao-null-untimed", "--untimed",
          "--no-terminal", file,
        ]
        let outcome = try ChildProcess.run(play)
        #expect(outcome.status == 0, "\(outcome.out)\(outcome.err)")
      }
    }

    /// Looks at each file from a cold cache, then without the origin, with everything cached.
    private func onlineAndOffline(_ look: (_ file: String) throws -> Void) throws {
      let feed = try MountedFeed()
      try Clips.make(in: feed.media)
      try feed.mount("/feed.xml")
      let files = [1: "mp4", 2: "mp4", 3: "webm"].map { "\(feed.mountPoint)/000\($0).\($1)" }
        .sorted()
      for file in files { try look(file) }
      for file in files { _ = try feed.digest(of: file) }
      try feed.unmount()

      feed.origin.stop()
      try feed.mount("/feed.xml")
      for file in files { try look(file) }
      try feed.unmount()
    }
  }
}
