import TestSupport

/// Three small videos: an MP4 with its index in front, an MP4 with its index at the end, a WebM.
enum Clips {
  static let seconds = 4.0

  static func make(in folder: String) throws {
    let input = [
      "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=640x360:rate=25", "-f", "lavfi",
      "-i", "sine=frequency=440", "-t", "\(seconds)",
    ]
    // The bit rate is higher than needed: the index must lie beyond the first fetch.
    let mpeg = ["-c:v", "mpeg4", "-b:v", "6M", "-minrate", "6M", "-q:v", "1", "-c:a", "aac"]
    let webm = ["-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "8", "-b:v", "6M"]
    let commands = [
      input + mpeg + ["-movflags", "+faststart", folder + "/1-front.mp4"],
      input + mpeg + [folder + "/2-back.mp4"],
      input + webm + ["-c:a", "libopus", folder + "/3-clip.webm"],
    ]
    for command in commands {
      let outcome = try ChildProcess.run(command, timeout: .seconds(120))
      guard outcome.status == 0 else { throw TestToolError("ffmpeg: \(outcome.err)") }
    }
  }
}
