import TestSupport
import Testing

extension Promises {
  /// Players and their tools take the mount for a folder of ordinary files.
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

    /// First from a cold cache, then without the origin, with all of it cached.
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

/// Three small videos: an MP4 with its index in front, one with it at the end, a WebM.
private enum Clips {
  static let seconds = 4.0

  static func make(in folder: String) throws {
    let input = [
      "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=640x360:rate=25", "-f", "lavfi",
      "-i", "sine=frequency=440", "-t", "\(seconds)",
    ]
    // Of more bits than they need: the index is to lie beyond what is asked for first.
    let mpeg = ["-c:v", "mpeg4", "-b:v", "6M", "-minrate", "6M", "-q:v", "1", "-c:a", "aac"]
    let webm = ["-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "8", "-b:v", "6M"]
    let commands = [
      input + mpeg + ["-movflags", "+faststart", folder + "/1-front.mp4"],
      input + mpeg + [folder + "/2-back.mp4"],
      input + webm + ["-c:a", "libopus", folder + "/3-clip.webm"],
    ]
    for command in commands {
      let outcome = try ChildProcess.run(command, timeout: .seconds(40))
      guard outcome.status == 0 else { throw TestToolError("ffmpeg: \(outcome.err)") }
    }
  }
}
