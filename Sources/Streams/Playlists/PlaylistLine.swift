/// A line of a playlist that is neither empty nor a comment (RFC 8216 §4.1).
enum PlaylistLine: Hashable {
  case tag(String, value: String)
  case address(String)
}

/// Reads the lines of a playlist, one after the other, as players read them: a line ends with LF, CR
/// or both, and blanks count nowhere.
struct PlaylistLines {
  private var rest: ArraySlice<UInt8>

  /// - Throws: `malformed` if the first line that is not empty does not begin with #EXTM3U;
  ///   `tooLarge` if the playlist has too many bytes.
  init(_ bytes: [UInt8]) throws(StreamError) {
    guard bytes.count <= PlaylistLimits.bytes else { throw .tooLarge("playlist") }
    let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    rest = bytes[(bytes.starts(with: byteOrderMark) ? 3 : 0)...]
    var first = try text()
    while first?.isEmpty ?? false { first = try text() }
    // Lists of channels have attributes behind #EXTM3U.
    guard let first, first.prefix(while: { $0 != " " && $0 != "\t" && $0 != ":" }) == "#EXTM3U"
    else { throw .malformed("a playlist must begin with #EXTM3U") }
  }

  /// Returns the next line that is neither empty nor a comment; nil after the last line.
  mutating func next() throws(StreamError) -> PlaylistLine? {
    while let line = try text() {
      if line.isEmpty { continue }
      guard line.utf8.first == UInt8(ascii: "#") else { return .address(line) }
      guard line.hasPrefix("#EXT") else { continue }
      guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else {
        return .tag(line, value: "")
      }
      return .tag(
        String(Self.trimmed(line[..<colon])),
        value: String(Self.trimmed(line[line.utf8.index(after: colon)...])))
    }
    return nil
  }

  /// Returns the next line without white space around it; nil after the last line.
  private mutating func text() throws(StreamError) -> String? {
    guard !rest.isEmpty else { return nil }
    let line = rest.prefix { $0 != 0x0A && $0 != 0x0D }
    rest = rest[min(line.endIndex + 1, rest.endIndex)...]
    guard line.count <= PlaylistLimits.line else { throw .tooLarge("line of a playlist") }
    let start = line.firstIndex { !Self.isSpace($0) } ?? line.endIndex
    let end = line.lastIndex { !Self.isSpace($0) }.map { $0 + 1 } ?? start
    return String(decoding: line[start..<end], as: UTF8.self)
  }

  private static func trimmed(_ text: Substring) -> Substring {
    let text = text.drop { $0 == " " || $0 == "\t" }
    let end = text.lastIndex { $0 != " " && $0 != "\t" }.map(text.index(after:)) ?? text.startIndex
    return text[..<end]
  }

  /// Servers that write a list with the size of its buffer end it with zero bytes.
  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x00
  }
}
