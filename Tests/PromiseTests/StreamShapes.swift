import Foundation
import Synchronization
import TestSupport
import Testing

/// A film, packed by ffmpeg in one shape of a stream below the folder that an origin serves.
struct StreamShape: Hashable, Sendable, CustomTestStringConvertible {
  let name: String
  /// The address that a feed or a resolver names; two are a picture and its sound.
  let entry: [String]
  /// The arguments behind the input.
  let packing: [[String]]
  var source = StreamShapes.source
  /// True if the key of the segments lies beside them.
  var hasKey = false
  /// The files that picture and sound are in the stream, as far as ffmpeg can read them alone.
  var apart: [String] = []

  var testDescription: String { name }

  private static let hls = ["-f", "hls", "-hls_time", "2", "-hls_playlist_type", "vod"]
  private static let movie = ["-hls_segment_type", "fmp4", "-hls_fmp4_init_filename", "init.mp4"]
  private static let apart = [
    "-map", "0:a", "-map", "0:v", "-master_pl_name", "m.m3u8", "-var_stream_map",
    "a:0,agroup:aud,default:yes v:0,agroup:aud", "-hls_fmp4_init_filename", "init%v.mp4",
    "-hls_segment_type", "fmp4", "-hls_segment_filename", "%v-%04d.m4s",
  ]

  static let transport = StreamShape(
    name: "ts", entry: ["v.m3u8"],
    packing: [hls + ["-hls_segment_filename", "s%04d.ts", "v.m3u8"]])
  static let encrypted = StreamShape(
    name: "aes", entry: ["v.m3u8"],
    packing: [
      hls + ["-hls_key_info_file", "info", "-hls_segment_filename", "s%04d.ts", "v.m3u8"]
    ], hasKey: true)
  static let segments = StreamShape(
    name: "fmp4", entry: ["v.m3u8"],
    packing: [hls + movie + ["-hls_segment_filename", "s%04d.m4s", "v.m3u8"]])
  static let oneFile = StreamShape(
    name: "onefile", entry: ["v.m3u8"],
    packing: [
      hls + ["-hls_segment_type", "fmp4", "-hls_flags", "single_file"]
        + ["-hls_segment_filename", "x-720-fragmented.mp4", "v.m3u8"]
    ])
  static let group = StreamShape(
    name: "group", entry: ["m.m3u8"], packing: [hls + apart + ["%v.m3u8"]])
  /// Two qualities, each with its sound, in a master playlist.
  static let qualities = StreamShape(
    name: "qualities", entry: ["m.m3u8"],
    packing: [
      [
        "-map", "0:v", "-map", "0:a", "-map", "0:v", "-map", "0:a", "-c:v:1", "libx264",
        "-preset:v:1", "ultrafast", "-g:v:1", "50", "-s:v:1", "160x90",
      ] + hls + [
        "-master_pl_name", "m.m3u8", "-var_stream_map", "v:0,a:0 v:1,a:1",
        "-hls_segment_filename", "%v-%04d.ts", "%v.m3u8",
      ]
    ])
  static let timeline = StreamShape(
    name: "dash", entry: ["m.mpd"],
    packing: [["-map", "0", "-f", "dash", "-seg_duration", "2", "m.mpd"]])
  static let numbered = StreamShape(
    name: "number", entry: ["m.mpd"],
    packing: [["-map", "0", "-f", "dash", "-seg_duration", "2", "-use_timeline", "0", "m.mpd"]])
  static let listed = StreamShape(
    name: "list", entry: ["m.mpd"],
    packing: [["-map", "0", "-f", "dash", "-seg_duration", "2", "-single_file", "1", "m.mpd"]])
  static let pair = StreamShape(
    name: "pair", entry: ["v.mp4", "a.m4a"],
    packing: [
      ["-map", "0:v", "-movflags", "dash+global_sidx+frag_keyframe", "-f", "mp4", "v.mp4"],
      [
        "-map", "0:a", "-movflags", "dash+global_sidx", "-frag_duration", "2000000", "-f", "mp4",
        "a.m4a",
      ],
    ])
  static let webm = StreamShape(
    name: "webm", entry: ["v.webm", "a.webm"],
    packing: ["0:v", "0:a"].map { track in
      let name = track == "0:v" ? "v.webm" : "a.webm"
      return [
        "-map", track, "-dash", "1", "-cues_to_front", "1", "-cluster_time_limit", "2000", name,
      ]
    }, source: StreamShapes.webm)

  /// Clusters as segments: ffmpeg packs VP9 and Opus so, unless it is told otherwise.
  static let clusters = StreamShape(
    name: "webm-dash", entry: ["m.mpd"],
    packing: [["-map", "0", "-c", "copy", "-f", "dash", "-seg_duration", "2", "m.mpd"]],
    source: StreamShapes.webm, apart: ["joined0.webm", "joined1.webm"])
  static let listedClusters = StreamShape(
    name: "webm-list", entry: ["m.mpd"],
    packing: [
      [
        "-map", "0", "-c", "copy", "-f", "dash", "-seg_duration", "2", "-single_file", "1", "m.mpd",
      ]
    ], source: StreamShapes.webm, apart: ["listed0.webm", "listed1.webm"])

  static let all = [
    transport, encrypted, segments, oneFile, group, timeline, numbered, listed, pair, webm,
    clusters, listedClusters,
  ]
}

/// Packs films into shapes of streams.
enum StreamShapes {
  static let seconds = 8
  /// A source of H.264 and AAC.
  static let source = [
    "-c:v", "libx264", "-preset", "ultrafast", "-qp", "5", "-g", "50", "-bf", "2", "-pix_fmt",
    "yuv420p",
    "-c:a", "aac", "source.mp4",
  ]
  /// A source of VP9 and Opus.
  static let webm = [
    "-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8", "-g", "50", "-c:a",
    "libopus", "source.webm",
  ]

  /// The sources that were made so far: many streams of a process have one.
  private static let known = Mutex<[[String]: String]>([:])

  /// Makes a source, and returns its path.
  private static func made(_ source: [String]) throws -> String {
    let folder = try SharedFolder.path.get()
    let pictures = "testsrc2=size=320x180:rate=25:duration=\(seconds)"
    let noise = "anoisesrc=seed=7:amplitude=0.3:r=48000:duration=\(seconds)"
    return try known.withLock { known in
      if let path = known[source] { return path }
      let name = "\(known.count)-\(source.last ?? "")"
      try ffmpeg(
        ["-f", "lavfi", "-i", pictures, "-f", "lavfi", "-i", noise] + source.dropLast() + [name],
        folder)
      known[source] = folder + "/" + name
      return folder + "/" + name
    }
  }

  /// Makes the source and the stream in `folder`, and returns the path of the source.
  static func pack(_ shape: StreamShape, in folder: String) throws -> String {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let source = shape.source.last ?? ""
    try FileManager.default.linkItem(
      atPath: made(shape.source), toPath: folder + "/" + source)
    if shape.hasKey {
      try Data((0..<16).map { UInt8($0 * 7) }).write(to: URL(filePath: folder + "/k.key"))
      try Data("k.key\n\(folder)/k.key\n".utf8).write(to: URL(filePath: folder + "/info"))
    }
    for arguments in shape.packing {
      let isCopied = arguments.contains("-map") || arguments.contains("hls")
      try ffmpeg(["-i", source] + (isCopied ? ["-c", "copy"] : []) + arguments, folder)
    }
    if shape.apart.contains("joined0.webm") {
      let join = "cat init-stream$n.webm chunk-stream$n-*.webm >joined$n.webm"
      _ = try ChildProcess.run(["sh", "-c", "cd '\(folder)' && for n in 0 1; do \(join); done"])
    }
    if shape.apart.contains("listed0.webm") {
      // ffmpeg's list does not name the last cluster of sound, which lasts 6 ms.
      let last =
        "/BaseURL/ { own = $0 ~ \"stream\" n } own && /mediaRange/ { split($0, a, /[-\"]/); e = a[3] }"
      let cut = "awk -v n=$n '\(last) END { print e + 1 }' m.mpd"
      _ = try ChildProcess.run([
        "sh", "-c",
        "cd '\(folder)' && for n in 0 1; do head -c $(\(cut)) m-stream$n.webm >listed$n.webm; done",
      ])
    }
    return folder + "/" + source
  }

  private static func ffmpeg(_ arguments: [String], _ folder: String) throws {
    let words = arguments.map { "'\($0)'" }.joined(separator: " ")
    let outcome = try ChildProcess.run(
      ["sh", "-c", "cd '\(folder)' && ffmpeg -v error -y \(words)"], timeout: .seconds(60))
    guard outcome.status == 0 else { throw TestToolError("ffmpeg \(words): \(outcome.err)") }
  }

  /// The hashes of the decoded pictures or sounds of a file, and the time of the first, in seconds.
  static func frames(_ kind: String, of path: String) throws -> (hashes: [Substring], start: Double)
  {
    var words = ["ffmpeg", "-v", "error", "-copyts", "-i", path, "-map", "0:\(kind):0"]
    if kind == "v" { words += ["-vsync", "0", "-enc_time_base", "-1"] }
    let outcome = try ChildProcess.run(words + ["-f", "framemd5", "-"], timeout: .seconds(60))
    guard outcome.status == 0, outcome.err.isEmpty else {
      throw TestToolError("\(path): \(outcome.err)")
    }
    var base = 0.0
    var start: Double?
    var hashes: [Substring] = []
    for line in outcome.out.split(separator: "\n") {
      if line.hasPrefix("#tb 0: ") {
        let parts = line.dropFirst("#tb 0: ".count).split(separator: "/").compactMap { Double($0) }
        if parts.count == 2 { base = parts[0] / parts[1] }
      }
      if line.hasPrefix("#") { continue }
      let fields = line.split(separator: ",").map { $0.drop(while: \.isWhitespace) }
      guard fields.count >= 6 else { continue }
      start = start ?? (Double(fields[2]) ?? 0) * base
      hashes.append(fields[5])
    }
    return (hashes, start ?? 0)
  }
}
