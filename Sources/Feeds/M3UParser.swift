/// Lists of addresses: M3U with its extensions, or bare lines.
struct M3UParser {
  private let base: String
  private var feed = Feed(kind: .m3u)
  private var drafts: [EntryDraft] = []
  /// What the lines before an address say of it.
  private var draft = EntryDraft()

  /// - Parameter base: the absolute address of the list.
  static func feed(_ utf8: [UInt8], base: String, choice: MediaChoice) -> Feed {
    var parser = M3UParser(base: base)
    var isCut = false
    for line in utf8.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
      guard parser.drafts.count < FeedOutline.mostEntries else {
        parser.feed.diagnoseCut()
        break
      }
      isCut = isCut || line.count > XMLLimit.text
      parser.take(String(decoding: line.prefix(XMLLimit.text), as: UTF8.self).trimmed)
    }
    if isCut { parser.feed.diagnoseLongText() }
    parser.feed.setEntries(parser.drafts, choice: choice, prefersIdentifier: false)
    return parser.feed
  }

  private init(base: String) {
    self.base = base
  }

  private mutating func take(_ line: String) {
    if line.isEmpty { return }
    guard line.hasPrefix("#") else {
      draft.offer(line, base: base, source: .enclosure) { _ in }
      if draft.title.isEmpty { draft.title = Self.name(in: line) }
      drafts.append(draft)
      draft = EntryDraft()
      return
    }
    let colon = line.firstIndex(of: ":") ?? line.endIndex
    let value = line[colon...].dropFirst()
    switch line[..<colon].uppercased() {
    case "#EXTINF": takeInformation(value)
    case "#PLAYLIST": feed.title = PlainText.of(String(value))
    case "#EXTIMG": draft.thumbnail = WebAddress.usable(String(value).trimmed, base: base)
    default: break
    }
  }

  /// "123.4 key="value" …,Title": the title begins behind the first comma outside quotes.
  private mutating func takeInformation(_ value: Substring) {
    var isQuoted = false
    let comma = value.firstIndex { character in
      if character == "\"" { isQuoted.toggle() }
      return character == "," && !isQuoted
    }
    let head = value[..<(comma ?? value.endIndex)]
    draft.title = comma.map { PlainText.of(String(value[$0...].dropFirst())) } ?? ""
    draft.duration = FeedNumber.positiveReal(
      String(head.prefix { !$0.isWhitespace && $0 != "," }))
    for key in ["tvg-logo=\"", "logo=\""] {
      guard draft.thumbnail == nil, let logo = Self.value(of: key, in: head) else { continue }
      draft.thumbnail = WebAddress.usable(logo, base: base)
    }
  }

  private static func value(of key: String, in head: Substring) -> String? {
    // Words end at a space outside quotes; a value in quotes may hold some.
    guard let start = head.firstRange(of: key)?.upperBound else { return nil }
    return String(head[start...].prefix { $0 != "\"" }).nonEmpty
  }

  /// The file's name without its extension, for a line without a title.
  private static func name(in line: String) -> String {
    ListingRow.title(of: PercentEncoding.decoded(URLReference(line).path))
  }
}
