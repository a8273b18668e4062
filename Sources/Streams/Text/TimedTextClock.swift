import Markup

/// Reads the times of a TTML document (TTML2 §12.3): "01:02:03.5", "01:02:03:12", "7.5s", "90f".
struct TimedTextClock {
  /// The number of frames per second (`frames`), of sub-frames per frame (`parts`), and of ticks
  /// per second (`ticks`).
  private let frames: Double
  private let parts: Double
  private let ticks: Double

  /// - Parameter root: the root of the document, whose attributes are the rates.
  init(_ root: XMLElement) throws(StreamError) {
    func rate(_ name: String) throws(StreamError) -> Double? {
      guard let text = root[name] else { return nil }
      guard let rate = Self.number(text[...]), rate >= 1, rate <= 1e12 else {
        throw .malformed("\(name) in subtitles")
      }
      return rate
    }
    let frames = try rate("framerate")
    parts = try rate("subframerate") ?? 1
    ticks = try rate("tickrate") ?? (frames ?? 1) * parts
    // Early documents have a colon between the two numbers.
    let factors = (root["frameratemultiplier"] ?? "1 1")
      .split { $0.isWhitespace || $0 == ":" }.map { Self.number($0) ?? 0 }
    guard (1...2).contains(factors.count), factors.allSatisfy({ $0 >= 1 && $0 <= 1e9 }) else {
      throw .malformed("framerate in subtitles")
    }
    self.frames = (frames ?? 30) * factors[0] / (factors.count == 2 ? factors[1] : 1)
  }

  /// Reads a time, and returns it in milliseconds; nil for any other text, and for more than
  /// `PlaylistLimits.duration`.
  func milliseconds(_ text: String) -> Int? {
    let text = text.filter { !$0.isWhitespace }[...]
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard let seconds = parts.count == 1 ? offset(text) : clock(parts),
      seconds <= Double(PlaylistLimits.duration.components.seconds)
    else { return nil }
    return Int((seconds * 1000).rounded())
  }

  /// Returns the seconds of a clock time. The seconds can have a fraction, or frames and sub-frames
  /// can follow them.
  private func clock(_ fields: [Substring]) -> Double? {
    guard (3...4).contains(fields.count), let hours = Self.number(fields[0]),
      let minutes = Self.number(fields[1]), minutes < 60, let seconds = Self.number(fields[2]),
      seconds < 61
    else { return nil }
    let whole = (hours * 60 + minutes) * 60 + seconds
    guard fields.count == 4 else { return whole }
    let last = fields[3].split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(last.count), let frame = Self.number(last[0]) else { return nil }
    var count = frame
    if last.count == 2 {
      guard let part = Self.number(last[1]) else { return nil }
      count += part / parts
    }
    return whole + count / frames
  }

  private func offset(_ text: Substring) -> Double? {
    let digits = text.prefix { $0.isNumber || $0 == "." }
    guard let count = Self.number(digits) else { return nil }
    switch text[digits.endIndex...] {
    case "h": return count * 3600
    case "m": return count * 60
    case "s": return count
    case "ms": return count / 1000
    case "f": return count / frames
    case "t": return count / ticks
    default: return nil
    }
  }

  /// Reads a decimal number, with or without a fraction; nil for any other text.
  private static func number(_ text: Substring) -> Double? {
    let bytes = text.utf8
    guard (1...20).contains(bytes.count), bytes.first != 0x2E, bytes.last != 0x2E,
      bytes.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E })
    else { return nil }
    return Double(text)
  }
}
