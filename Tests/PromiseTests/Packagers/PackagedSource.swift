import Foundation
import TestSupport

/// A film of some seconds that ffmpeg makes for shaka's packager.
enum PackagedSource: String, CaseIterable, Sendable {
  /// H.264 with B pictures, and AAC in two languages.
  case film
  case hevc, vp9, ac3, eac3, mp3
  /// 24000/1001 pictures in a second, and sound of 44.1 kHz.
  case cinema
  /// Sound that begins 1.5 s behind the picture.
  case lateSound
  /// Times that begin at 11 hours.
  case late
  /// Times that pass the greatest that a transport stream can tell.
  case wrap
  case small

  /// The key of all that is encrypted.
  static let key = "0102030405060708090a0b0c0d0e0f10"

  var file: String {
    switch self {
    case .vp9: "vp9.webm"
    case .late, .wrap: rawValue + ".ts"
    default: rawValue + ".mp4"
    }
  }

  private var packing: [String] {
    let picture = ["-c:v", "libx264", "-preset", "ultrafast", "-g", "50", "-pix_fmt", "yuv420p"]
    let usual = picture + ["-bf", "2", "-c:a"]
    switch self {
    case .film: return ["-map", "2"] + usual + ["aac"]
    case .hevc:
      let words = "log-level=none:keyint=50:bframes=2"
      return [
        "-c:v", "libx265", "-preset", "ultrafast", "-x265-params", words, "-tag:v", "hvc1", "-c:a",
        "aac",
      ]
    case .vp9:
      return [
        "-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8", "-g", "50", "-c:a",
        "libopus",
      ]
    case .ac3, .eac3: return usual + [rawValue]
    case .mp3: return usual + ["libmp3lame"]
    case .cinema: return usual + ["aac"]
    case .lateSound: return usual + ["aac", "-af", "asetpts=PTS+1.5/TB"]
    case .late: return usual + ["aac", "-output_ts_offset", "40000"]
    case .wrap: return usual + ["aac", "-output_ts_offset", "95438"]
    case .small: return ["-s", "160x90"] + usual + ["aac"]
    }
  }

  /// Makes it in a folder, with a key and subtitles beside it.
  func make(in folder: String) throws {
    let (rate, sound) = self == .cinema ? ("24000/1001", 44_100) : ("25", 48_000)
    let outcome = try ChildProcess.run(
      [
        "ffmpeg", "-nostdin", "-v", "error", "-y", "-f", "lavfi", "-i",
        "testsrc2=size=320x180:rate=\(rate):duration=8", "-f", "lavfi", "-i",
        "anoisesrc=seed=7:amplitude=0.3:r=\(sound):duration=8", "-f", "lavfi", "-i",
        "sine=frequency=880:sample_rate=48000:duration=8", "-map", "0", "-map", "1",
      ] + packing + [folder + "/" + file], timeout: .seconds(60))
    guard outcome.status == 0 else { throw TestToolError("\(self): \(outcome.err)") }
  }

  /// Writes what all have beside them.
  static func writeKeyAndWords(in folder: String) throws {
    let words = """
      WEBVTT

      00:00:01.000 --> 00:00:03.000
      Hello

      00:00:05.000 --> 00:00:07.500
      Good bye

      """
    try Data(words.utf8).write(to: URL(filePath: folder + "/words.vtt"))
    try Data((1...16).map { UInt8($0) }).write(to: URL(filePath: folder + "/k.key"))
  }
}
