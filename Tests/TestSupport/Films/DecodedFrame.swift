/// A picture or a piece of sound as ffmpeg decodes it.
package struct DecodedFrame: Equatable, Sendable {
  package let seconds: Double
  package let hash: Substring

  /// The kind of a track, as ffmpeg spells it.
  package enum Kind: String, CaseIterable, Sendable {
    case picture = "v"
    case sound = "a"
  }

  /// Decodes a track of each of some kinds.
  ///
  /// - Parameters:
  ///   - input: the words of ffmpeg for it.
  ///   - track: the number of the track among those of its kind.
  ///   - isStrict: false if ffmpeg may complain.
  /// - Throws: what ffmpeg says, if it cannot decode all of it.
  package static func all(
    _ kinds: [Kind], of input: [String], track: Int = 0, isStrict: Bool = true
  ) throws -> [Kind: [DecodedFrame]] {
    var words = ["ffmpeg", "-nostdin", "-v", "error", "-copyts"] + input
    for kind in kinds { words += ["-map", "0:\(kind.rawValue):\(track)"] }
    words += ["-vsync", "0", "-enc_time_base:v", "-1", "-f", "framemd5", "-"]
    let outcome = try ChildProcess.run(words, timeout: .seconds(100))
    guard outcome.status == 0, outcome.err.isEmpty || !isStrict else {
      throw TestToolError("\(input.last ?? ""): \(outcome.err)")
    }
    return read(outcome.out, kinds)
  }

  /// Reads what the format `framemd5` tells of tracks in this order.
  private static func read(_ text: String, _ kinds: [Kind]) -> [Kind: [DecodedFrame]] {
    var bases: [Substring: Double] = [:]
    var frames: [Kind: [DecodedFrame]] = [:]
    for line in text.split(separator: "\n") {
      if line.hasPrefix("#tb ") {
        let parts = line.dropFirst(4).split { $0 == ":" || $0 == "/" || $0 == " " }
        bases[parts[0]] = (Double(parts[1]) ?? .nan) / (Double(parts[2]) ?? .nan)
      } else if !line.hasPrefix("#") {
        let cells = line.split(separator: ",").map { $0.drop { $0 == " " } }
        guard let track = Int(cells[0]), let base = bases[cells[0]] else { continue }
        let seconds = (Double(cells[2]) ?? .nan) * base
        frames[kinds[track], default: []].append(DecodedFrame(seconds: seconds, hash: cells[5]))
      }
    }
    return frames
  }
}

extension [DecodedFrame] {
  /// How much later than those of `other` these begin, and the most by which a time is off besides.
  ///
  /// - Precondition: they are as many.
  package func shift(from other: [DecodedFrame]) -> (seconds: Double, worst: Double) {
    precondition(count == other.count)
    guard let first, let own = other.first else { return (0, 0) }
    let shift = first.seconds - own.seconds
    let worst = zip(self, other).map { abs($0.seconds - $1.seconds - shift) }.max() ?? 0
    return (shift, worst)
  }
}
