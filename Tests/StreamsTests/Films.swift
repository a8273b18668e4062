import Foundation
import Glibc
import Locks
import TestSupport

/// Films that ffmpeg makes once for all tests, in every shape of a stream.
final class Films: Sendable {
  /// The length of each film in seconds.
  static let seconds = 8

  let folder: String

  init() throws {
    folder = NSTemporaryDirectory() + "films-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: folder)
  }

  func path(_ name: String) -> String { folder + "/" + name }

  func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: path(name))))
  }

  /// Makes a film with a picture that moves and noise, so that no two frames are equal. Films that
  /// are alike are made once for all tests.
  ///
  /// - Returns: the name of its file.
  func source(_ name: String, video: [String]?, audio: [String]?, rate: Int = 48_000) throws
    -> String
  {
    var words = ["ffmpeg", "-v", "error", "-y"]
    if video != nil {
      words += ["-f", "lavfi", "-i", "testsrc2=size=320x180:rate=25:duration=\(Self.seconds)"]
    }
    if audio != nil {
      let noise = "anoisesrc=seed=7:amplitude=0.3:r=\(rate):duration=\(Self.seconds)"
      words += ["-f", "lavfi", "-i", noise]
    }
    if let video { words += ["-c:v"] + video + ["-g", "50", "-pix_fmt", "yuv420p"] }
    if let audio { words += ["-c:a"] + audio + ["-ac", "2"] }
    let ending = name.split(separator: ".").last ?? "mp4"
    let place = try Self.made.withLock { made in
      if let place = made[words + [String(ending)]] { return place }
      let place = try SharedFolder.path.get() + "/\(made.count).\(ending)"
      try run(words + [place])
      made[words + [String(ending)]] = place
      return place
    }
    try? FileManager.default.removeItem(atPath: path(name))
    try FileManager.default.linkItem(atPath: place, toPath: path(name))
    return name
  }

  /// The films that were made so far, by how.
  private static let made = Locked<[[String]: String]>([:])

  /// Copies streams of a film into another file.
  func copy(_ name: String, _ options: [String], to copy: String) throws -> String {
    try run(["ffmpeg", "-v", "error", "-y", "-i", path(name)] + options + [path(copy)])
    return copy
  }

  func run(_ words: [String]) throws {
    let outcome = try ChildProcess.run(words, timeout: .seconds(120))
    guard outcome.status == 0 else { throw TestToolError("\(words): \(outcome.err)") }
  }

  static func isInstalled(_ program: String) -> Bool {
    ["/usr/bin/", "/usr/local/bin/", "/bin/"].contains {
      FileManager.default.isExecutableFile(atPath: $0 + program)
    }
  }

  // MARK: What a program says of a file

  /// One frame as a decoder made it.
  struct Frame: Equatable {
    let seconds: Double
    let hash: Substring
  }

  /// A file as it is now, and the kind of stream that was decoded of it.
  private struct Decoded: Hashable {
    let kind: String
    let inode: UInt64
    let size: Int
    let seconds: Int
    let nanoseconds: Int
  }

  /// The frames that were decoded so far: many films are made of one source, and compared with it.
  private static let decoded = Locked<[Decoded: [Frame]]>([:])

  /// The frames of the first stream of a kind, "v" or "a". Each file is decoded once.
  func frames(_ kind: String, of name: String) throws -> [Frame] {
    var status = stat()
    guard stat(path(name), &status) == 0 else { throw TestToolError("no \(name)") }
    let file = Decoded(
      kind: kind, inode: UInt64(status.st_ino), size: status.st_size,
      seconds: status.st_mtim.tv_sec,
      nanoseconds: status.st_mtim.tv_nsec)
    if let known = Self.decoded.withLock({ $0[file] }) { return known }
    let frames = try decode(kind, of: name)
    Self.decoded.withLock { $0[file] = frames }
    return frames
  }

  private func decode(_ kind: String, of name: String) throws -> [Frame] {
    var words = ["ffmpeg", "-v", "error", "-copyts", "-i", path(name), "-map", "0:\(kind):0"]
    if kind == "v" { words += ["-vsync", "0", "-enc_time_base", "-1"] }
    let outcome = try ChildProcess.run(words + ["-f", "framemd5", "-"], timeout: .seconds(120))
    guard outcome.status == 0, outcome.err.isEmpty else {
      throw TestToolError("\(name): \(outcome.err)")
    }
    var base = 1.0
    var frames: [Frame] = []
    for line in outcome.out.split(separator: "\n") {
      if line.hasPrefix("#tb 0: ") {
        let parts = line.dropFirst(7).split(separator: "/").compactMap { Double($0) }
        base = parts[0] / parts[1]
      } else if !line.hasPrefix("#") {
        let cells = line.split(separator: ",").map { $0.drop { $0 == " " } }
        frames.append(Frame(seconds: (Double(cells[2]) ?? .nan) * base, hash: cells[5]))
      }
    }
    return frames
  }

  /// The duration as ffprobe tells it.
  func duration(of name: String) throws -> Double {
    let outcome = try ChildProcess.run(
      ["ffprobe", "-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", path(name)])
    guard let seconds = Double(outcome.out.filter { $0 != "\n" }) else {
      throw TestToolError("\(name): \(outcome.err)")
    }
    return seconds
  }

  /// The byte ranges that an HLS playlist of one file names.
  func segments(ofPlaylist name: String) throws -> [(bytes: Range<Int>, seconds: Double)] {
    var segments: [(Range<Int>, Double)] = []
    var seconds = 0.0
    for line in String(decoding: try bytes(name), as: UTF8.self).split(separator: "\n") {
      if line.hasPrefix("#EXTINF:") { seconds = Double(line.dropFirst(8).dropLast()) ?? .nan }
      if line.hasPrefix("#EXT-X-BYTERANGE:") {
        let parts = line.dropFirst(17).split(separator: "@").compactMap { Int($0) }
        segments.append((parts[1]..<parts[1] + parts[0], seconds))
      }
    }
    return segments
  }
}
