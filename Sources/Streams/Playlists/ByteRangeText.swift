import Blocks

/// Reads ranges of bytes, as playlists and manifests write them.
enum ByteRangeText {
  /// Reads "length@start", or "length" for a range that begins at `next` (RFC 8216 §4.3.2.2).
  static func range(_ text: String, from next: Int) throws(StreamError) -> ByteRange {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count <= 2, let length = number(parts[0]), length > 0,
      let start = parts.count == 2 ? number(parts[1]) : next
    else { throw .malformed("a range of bytes") }
    return try range(from: start, length: length)
  }

  /// Reads "first-last", the form of HTTP, which DASH uses too (ISO 23009-1).
  static func inclusive(_ text: String) throws(StreamError) -> ByteRange {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let first = number(parts[0]), let last = number(parts[1]), first <= last
    else { throw .malformed("a range of bytes") }
    guard last < PlaylistLimits.resource else { throw .tooLarge("range of bytes") }
    return first..<last + 1
  }

  private static func range(from start: Int, length: Int) throws(StreamError) -> ByteRange {
    guard start <= PlaylistLimits.resource, length <= PlaylistLimits.resource - start else {
      throw .tooLarge("range of bytes")
    }
    return start..<start + length
  }

  /// Reads decimal digits with any spaces around them; nil for any other text. A number that does
  /// not fit into an `Int` becomes `Int.max`.
  private static func number(_ text: Substring) -> Int? {
    let text = text.filter { $0 != " " }
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(text) ?? .max
  }
}
