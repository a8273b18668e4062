import FoundationEssentials
import TestSupport

/// A folder with a stream that ffmpeg has made. It goes away with the value.
final class Broadcast {
  let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "broadcast-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  static let isPossible = (try? ChildProcess.run(["ffmpeg", "-version"]))?.status == 0
  static let canDecrypt = (try? ChildProcess.run(["openssl", "version"]))?.status == 0

  /// Runs ffmpeg in the folder, with a picture that moves and a sound as its inputs.
  func make(_ arguments: [String], seconds: Int = 6) throws {
    try run(
      [
        "-f", "lavfi", "-i", "testsrc2=size=322x182:rate=25:duration=\(seconds)", "-f", "lavfi",
        "-i", "sine=frequency=440:sample_rate=44100:duration=\(seconds)",
      ] + arguments)
  }

  func run(_ arguments: [String]) throws {
    let words = ["ffmpeg", "-v", "error", "-y", "-bitexact"] + arguments
    let command = "cd \"$0\" && exec \"$@\""
    let outcome = try ChildProcess.run(
      ["sh", "-c", command, folder.path] + words, timeout: .seconds(100))
    guard outcome.status == 0 else { throw TestToolError("ffmpeg: \(outcome.err)") }
  }

  func path(of name: String) -> String { folder.appending(path: name).path }

  func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: folder.appending(path: name)))
  }

  func write(_ bytes: [UInt8], to name: String) throws {
    try Data(bytes).write(to: folder.appending(path: name))
  }

  /// Returns the bytes of a stream's packets as ffmpeg takes them out of a file.
  func packets(_ stream: String, of name: String, filter: String) throws -> [UInt8] {
    try run([
      "-i", name, "-map", "0:\(stream)", "-c", "copy", "-bsf", filter, "-f", "data", "packets",
    ])
    return try bytes("packets")
  }

  /// A packet as ffprobe tells of it.
  struct Packet: Equatable {
    var time: Int
    var decoding: Int
    var isKey: Bool
  }

  func times(_ stream: String, of name: String) throws -> [Packet] {
    let outcome = try ChildProcess.run([
      "ffprobe", "-v", "error", "-select_streams", stream, "-show_entries",
      "packet=pts,dts,flags", "-of", "csv=p=0", folder.appending(path: name).path,
    ])
    return outcome.out.split(separator: "\n").compactMap { line in
      let fields = line.split(separator: ",")
      guard fields.count >= 3, let time = Int(fields[0]), let decoding = Int(fields[1]) else {
        return nil
      }
      return Packet(time: time, decoding: decoding, isKey: fields[2].hasPrefix("K"))
    }
  }
}
