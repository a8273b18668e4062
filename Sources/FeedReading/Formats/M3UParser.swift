import Addresses
import Markup

/// Parses lists of addresses: M3U with its extensions, or bare lines.
struct M3UParser {
  private let base: String
  private var feed = Feed(kind: .m3u)
  private var entries: UnnamedEntries
  /// The facts about the next address, from the lines that come before it.
  private var draft = EntryDraft()
  /// Whether the next address has a negative duration, as streams without an end have.
  private var isEndless = false

  /// - Parameter base: the absolute address of the list.
  static func feed(_ utf8: [UInt8], base: String, choice: MediaChoice) -> Feed {
    var parser = M3UParser(base: base, choice: choice)
    var isCut = false
    for line in TextLines(utf8) {
      guard parser.entries.count < XMLLimit.entries else {
        parser.feed.diagnoseCut()
        break
      }
      isCut = isCut || line.count > XMLLimit.text
      parser.take(String(decoding: line.prefix(XMLLimit.text), as: UTF8.self).trimmed)
    }
    if isCut { parser.feed.diagnoseLongText() }
    parser.feed.setEntries(&parser.entries, prefersIdentifier: false)
    return parser.feed
  }

  private init(base: String, choice: MediaChoice) {
    self.base = base
    entries = UnnamedEntries(choice: choice)
  }

  private mutating func take(_ line: String) {
    if line.isEmpty { return }
    guard line.hasPrefix("#") else {
      offer(line)
      draft.isBroadcast = isEndless && draft.candidates.allSatisfy { !Self.hasEnd($0.media.url) }
      isEndless = false
      if draft.title.isEmpty { draft.title = Self.name(in: line) }
      entries.append(draft)
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

  /// Adds the address in a line as a candidate. A Windows path is accepted too, unless it names
  /// another machine.
  private mutating func offer(_ line: String) {
    if line.hasPrefix("\\\\") {
      draft.refusal = "is a path on another machine"
    } else {
      draft.offer(Self.path(line), base: base, source: .enclosure) { _ in }
    }
  }

  private static func path(_ line: String) -> String {
    guard line.utf8.contains(UInt8(ascii: "\\")), !line.contains("://") else { return line }
    return line.replacing("\\", with: "/")
  }

  /// Reads the value of `#EXTINF`, such as "123.4 key="value" …,Title". The title begins behind the
  /// first comma outside quotes.
  private mutating func takeInformation(_ value: Substring) {
    var isQuoted = false
    // If quotes stay open, the title begins behind the first `",`, or else behind the first comma.
    let comma =
      value.firstIndex { character in
        if character == "\"" { isQuoted.toggle() }
        return character == "," && !isQuoted
      } ?? value.firstRange(of: "\",").map { value.index(after: $0.lowerBound) }
      ?? value.firstIndex(of: ",")
    let head = value[..<(comma ?? value.endIndex)]
    draft.title = comma.map { PlainText.of(String(value[$0...].dropFirst())) } ?? ""
    let duration = String(head.prefix { !$0.isWhitespace && $0 != "," })
    draft.duration = FeedNumber.positiveReal(duration)
    isEndless = duration.hasPrefix("-")
    for key in ["tvg-logo=\"", "logo=\""] {
      guard draft.thumbnail == nil, let logo = Self.value(of: key, in: head) else { continue }
      draft.thumbnail = WebAddress.usable(logo, base: base)
    }
  }

  /// Whether the extension in an address shows a media file that has an end. A negative duration
  /// alone does not show a stream without an end, because many lists give it to films too. MPEG-TS
  /// counts as endless, because TV receivers send it without an end.
  private static func hasEnd(_ url: String) -> Bool {
    let names = AddressWords(url).lazy.filter(\.isInQuery).map(\.text)
    return ([MediaType.pathExtension(of: url)] + names).contains { ending in
      !["ts", "m2ts", "mts"].contains(ending)
        && MediaType.classOfExtension(ending)?.isMedia == true
    }
  }

  private static func value(of key: String, in head: Substring) -> String? {
    // The value ends at its closing quote. It can contain spaces.
    guard let start = head.firstRange(of: key)?.upperBound else { return nil }
    return String(head[start...].prefix { $0 != "\"" }).nonEmpty
  }

  /// Returns the file's name without its extension, for a line without a title.
  private static func name(in line: String) -> String {
    var path = path(line).prefix { $0 != "?" && $0 != "#" }
    if let host = path.firstRange(of: "://")?.upperBound {
      path = path[host...].drop { $0 != "/" }
    }
    let name = PercentEncoding.decoded(String(path))
    return PlainText.collapsed(ListingRow.title(of: name))
  }
}

/// The non-empty lines of a text, one by one. A line ends with LF, CR or both.
struct TextLines: Sequence, IteratorProtocol {
  private var rest: ArraySlice<UInt8>

  init(_ utf8: [UInt8]) {
    rest = utf8[...]
  }

  mutating func next() -> ArraySlice<UInt8>? {
    guard let start = rest.firstIndex(where: { !Self.isBreak($0) }) else { return nil }
    rest = rest[start...]
    let end = rest.firstIndex(where: Self.isBreak) ?? rest.endIndex
    defer { rest = rest[end...] }
    return rest[..<end]
  }

  private static func isBreak(_ byte: UInt8) -> Bool {
    byte == 0x0A || byte == 0x0D
  }
}
