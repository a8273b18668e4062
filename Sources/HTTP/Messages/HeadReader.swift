/// Assembles a response head, line by line.
struct HeadReader {
  enum Step: Equatable {
    case more
    /// The head of the final response. Interim heads (1xx) are skipped.
    case whole(ResponseHead)
    case fault(ResponseFault)
  }

  private var head: ResponseHead?
  private var byteCount = 0

  /// Takes a line as libcurl passes it, with its line end.
  mutating func take(_ line: String) -> Step {
    byteCount += line.utf8.count
    guard byteCount <= Self.maxBytes else { return .fault(.headTooLarge) }
    guard var head else { return begin(line) }

    let text = line.trimmed
    if text.isEmpty { return end(head) }
    // RFC 9110 §5.5: a value with control characters is invalid. Such a field is ignored.
    guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f || $0 == 0x09 }) else { return .more }
    if let first = line.utf8.first, first == 0x20 || first == 0x09 {
      head.fold(text)
    } else if let colon = text.utf8.firstIndex(of: 0x3a) {
      guard head.fields.count < Self.maxFields else { return .fault(.headTooLarge) }
      head.add(text[..<colon], text[text.utf8.index(after: colon)...])
    }
    self.head = head
    return .more
  }

  private mutating func begin(_ line: String) -> Step {
    let words = line.trimmed.split(separator: " ", maxSplits: 2)
    guard words.count >= 2, words[0].hasPrefix("HTTP/") || words[0] == "ICY",
      words[1].utf8.count == 3, let status = Decimal.parse(words[1])
    else { return .fault(.notHTTP) }
    var head = ResponseHead(status: status)
    head.hasStreams = words[0] == "HTTP/2" || words[0] == "HTTP/3"
    head.isICY = words[0] == "ICY"
    self.head = head
    return .more
  }

  private mutating func end(_ head: ResponseHead) -> Step {
    guard (100..<200).contains(head.status) else { return .whole(head) }
    self.head = nil
    return .more
  }

  private static let maxBytes = 64 << 10  // bytes, interim responses included
  private static let maxFields = 100
}
