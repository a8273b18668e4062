/// Basic operations on text.
extension String {
  /// The text without white space at both ends.
  package var trimmed: String {
    // Hardly any text has white space at its ends, and this check is quicker than a search for
    // white space.
    if let first = utf8.first, let last = utf8.last, (0x21...0x7E).contains(first),
      (0x21...0x7E).contains(last)
    {
      return self
    }
    guard let start = firstIndex(where: { !$0.isWhitespace }),
      let end = lastIndex(where: { !$0.isWhitespace })
    else { return "" }
    return String(self[start...end])
  }

  /// Makes text of UTF-8 without the white space at both ends, as `trimmed` does.
  init(trimming bytes: UnsafeBufferPointer<UInt8>) {
    var (start, end) = (0, bytes.count)
    while start < end, Byte.isSpace(bytes[start]) { start += 1 }
    while end > start, Byte.isSpace(bytes[end - 1]) { end -= 1 }
    guard start < end else {
      self = ""
      return
    }
    // Other bytes can belong to white space beyond ASCII, or to a `Character` whose first bytes
    // were skipped.
    let isPlain =
      (0x21...0x7E).contains(bytes[start]) && (0x21...0x7E).contains(bytes[end - 1])
    self =
      isPlain
      ? String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<end]), as: UTF8.self)
      : String(decoding: bytes, as: UTF8.self).trimmed
  }

  /// Whether the UTF-8 of the text contains `byte`.
  package func has(_ byte: UInt8) -> Bool {
    utf8.withContiguousStorageIfAvailable { $0.contains(byte) } ?? utf8.contains(byte)
  }

  /// Whether the UTF-8 of the text contains `part`. An empty `part` is in every text.
  package func has(_ part: [UInt8]) -> Bool {
    guard let first = part.first else { return true }
    return utf8.withContiguousStorageIfAvailable { bytes in
      var rest = bytes[...]
      while let place = rest.firstIndex(of: first) {
        rest = rest[place...]
        if rest.starts(with: part) { return true }
        rest = rest.dropFirst()
      }
      return false
    } ?? Array(utf8).firstRange(of: part).map { _ in true } ?? false
  }

  package var nonEmpty: String? { isEmpty ? nil : self }

  /// The FNV-1a hash in 64 bits. It is the same in every process.
  package var fingerprint: UInt64 {
    utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }
}
