/// A segment of subtitles: a WebVTT file with some of the cues (RFC 8216 §3.5).
struct TextSegment {
  struct Cue: Hashable {
    /// The beginning of the cue, in milliseconds on the segment's own clock.
    let start: Int
    let end: Int
    /// The text after the times, such as the position of the words on the picture.
    let settings: String
    let words: String
  }

  private(set) var cues: [Cue] = []
  /// Blocks that apply to all cues: styles and regions.
  private(set) var headers: [String] = []
  /// The X-TIMESTAMP-MAP: a time stamp of the media (33 bits), and the same moment in milliseconds
  /// on the segment's own clock. Nil if the segment has no X-TIMESTAMP-MAP.
  private(set) var map: (ticks: Int, local: Int)?

  /// Reads a segment. Empty bytes are a segment without cues.
  init(_ bytes: [UInt8]) throws(StreamError) {
    guard bytes.count <= PlaylistLimits.textSegment else { throw .tooLarge("subtitles") }
    var lines = Self.lines(of: bytes)
    guard let first = lines.first else { return }
    guard first.hasPrefix("WEBVTT") else { throw .malformed("no WebVTT") }
    let head = lines.prefix { !$0.isEmpty }
    for line in head.dropFirst() where line.hasPrefix("X-TIMESTAMP-MAP=") {
      map = Self.map(line.dropFirst("X-TIMESTAMP-MAP=".count))
    }
    lines.removeFirst(head.count)
    for block in lines.split(whereSeparator: \.isEmpty) { take(Array(block)) }
  }

  private mutating func take(_ block: [Substring]) {
    guard let place = block.firstIndex(where: { $0.contains("-->") }) else {
      guard let first = block.first, first.hasPrefix("STYLE") || first.hasPrefix("REGION") else {
        return
      }
      headers.append(block.joined(separator: "\n"))
      return
    }
    guard let arrow = block[place].firstRange(of: "-->") else { return }
    let before = block[place][..<arrow.lowerBound].filter { !$0.isWhitespace }
    let after = block[place][arrow.upperBound...].drop(while: \.isWhitespace)
    let time = after.prefix { !$0.isWhitespace }
    guard let start = TextTime.milliseconds(before[...]), let end = TextTime.milliseconds(time),
      end >= start
    else { return }
    let settings = after[time.endIndex...].split(whereSeparator: \.isWhitespace)
    let words = block[(place + 1)...].filter { !$0.contains("-->") }
    cues.append(
      Cue(
        start: start, end: end, settings: settings.joined(separator: " "),
        words: words.joined(separator: "\n")))
  }

  /// Reads "MPEGTS:900000,LOCAL:00:00:00.000". The two fields can come in any order.
  private static func map(_ text: Substring) -> (ticks: Int, local: Int)? {
    var ticks: Int?
    var local: Int?
    for field in text.split(separator: ",") {
      let parts = field.split(separator: ":", maxSplits: 1)
      guard parts.count == 2 else { continue }
      let value = parts[1].filter { !$0.isWhitespace }
      switch parts[0].filter({ !$0.isWhitespace }) {
      case "MPEGTS": ticks = Int(value)
      case "LOCAL": local = TextTime.milliseconds(value[...])
      default: break
      }
    }
    guard let ticks, let local, ticks >= 0 else { return nil }
    return (ticks & ((1 << 33) - 1), local)
  }

  /// Returns the lines, which end with LF, CR or both. Zero bytes are left out.
  private static func lines(of bytes: [UInt8]) -> [Substring] {
    let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    var plain: [UInt8] = []
    plain.reserveCapacity(bytes.count)
    var before: UInt8 = 0
    for byte in bytes[(bytes.starts(with: byteOrderMark) ? 3 : 0)...] where byte != 0 {
      if byte == 0x0A, before == 0x0D {
        before = byte
        continue
      }
      plain.append(byte == 0x0D ? 0x0A : byte)
      before = byte
    }
    if plain.isEmpty { return [] }
    return String(decoding: plain, as: UTF8.self)[...].split(
      separator: "\n", omittingEmptySubsequences: false)
  }
}
