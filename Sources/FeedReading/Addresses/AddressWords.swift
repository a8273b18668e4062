import Markup

/// The words in the path and the query of an address: runs of ASCII letters and digits, in lower
/// case.
struct AddressWords: Sequence, IteratorProtocol {
  struct Word {
    let text: String
    /// The byte behind the word; nil at the end of the address.
    let after: UInt8?
    /// Whether the word is in the query.
    let isInQuery: Bool
  }

  private let bytes: [UInt8]
  private var at: Int
  private let query: Int

  init(_ url: String) {
    let bytes = Array(url.utf8.prefix { $0 != Byte.hash })
    self.bytes = bytes
    query = bytes.firstIndex(of: UInt8(ascii: "?")) ?? bytes.count
    // The host is skipped, because its words say nothing about a single file on it.
    at = 0
    if let colon = bytes.prefix(query).firstIndex(of: Byte.colon),
      bytes[colon...].starts(with: "://".utf8)
    {
      at = bytes[(colon + 3)..<query].firstIndex(of: Byte.slash) ?? query
    }
  }

  mutating func next() -> Word? {
    while at < bytes.count, !Byte.isLetterOrDigit(bytes[at]) { at += 1 }
    guard at < bytes.count else { return nil }
    let start = at
    while at < bytes.count, Byte.isLetterOrDigit(bytes[at]) { at += 1 }
    let text = String(decoding: bytes[start..<at].map(Byte.lowercased), as: UTF8.self)
    return Word(
      text: text, after: at < bytes.count ? bytes[at] : nil, isInQuery: start > query)
  }
}
