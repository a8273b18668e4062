/// Basic operations on text.
extension String {
  /// The text without white space at both ends.
  var trimmed: String {
    // Nearly no text has white space there. This check is quicker than a search for it.
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

  var nonEmpty: String? { isEmpty ? nil : self }

  /// The FNV-1a hash in 64 bits. It is the same in every process.
  var fingerprint: UInt64 {
    utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }
}
