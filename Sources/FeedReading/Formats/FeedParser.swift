import Markup

/// Parses a document into a feed. The format is recognized from the bytes alone. A declared type is
/// ignored.
package enum FeedParser {
  /// The largest document that is read, in bytes after any decompression.
  package static let maxBodyBytes = 64 << 20

  /// Reads RSS 0.9 to 2.0, Atom 0.3 and 1.0, JSON Feed, M3U, XSPF, OPML, directory listings of
  /// servers, JSON that lists media, and the links to feeds in an HTML page. An HLS playlist or a
  /// DASH manifest becomes a feed with itself as the only entry. Broken documents are repaired.
  ///
  /// - Parameters:
  ///   - base: the absolute address of the document after redirects. If it is empty, relative
  ///     addresses cannot be used.
  ///   - choice: the user's choice among the candidates of an entry.
  /// - Throws: the reason why the bytes gave no feed. A feed without entries is valid.
  package static func parse(
    _ bytes: [UInt8], base: String, choice: MediaChoice = MediaChoice()
  ) throws(FeedError) -> Feed {
    guard bytes.count <= maxBodyBytes else {
      throw .tooLarge(length: bytes.count, limit: maxBodyBytes)
    }
    var document = TextEncoding.decode(bytes)
    if let call = DocumentSniffer.argument(in: document.utf8) { document.utf8 = Array(call) }
    switch try DocumentSniffer.format(of: document.utf8) {
    case .json: return try json(document, base: base, choice: choice)
    case .list:
      var feed = M3UParser.feed(document.utf8, base: base, choice: choice)
      feed.diagnostics += document.notes
      return feed
    case .stream: return try StreamDocument.feed(.hls, at: base, choice: choice)
    case .html: return try html(document, base: base, choice: choice)
    case .xml: return try xml(document, base: base, choice: choice)
    }
  }

  private static func json(
    _ text: TextEncoding.Decoded, base: String, choice: MediaChoice
  ) throws(FeedError) -> Feed {
    var reader = JSONReader(text.utf8)
    let document = reader.document()
    let found =
      JSONFeedParser(document, base: base)?.feed(choice)
      ?? ListingJSON.feed(in: document, base: base, choice: choice)
      ?? ManifestParser.feed(in: document, base: base, choice: choice)
    guard var feed = found else {
      throw .notAFeed(looksLike: reader.isDamaged ? "a damaged JSON document" : "a JSON document")
    }
    feed.recovered = reader.isDamaged || !text.notes.isEmpty
    feed.diagnose(reader)
    feed.diagnostics += text.notes
    return feed
  }

  /// Reads a document that begins like an HTML page. It can contain a feed, or be a feed with some
  /// HTML tags in front.
  private static func html(
    _ document: TextEncoding.Decoded, base: String, choice: MediaChoice
  ) throws(FeedError) -> Feed {
    if HTMLParser.holdsFeed(document.utf8) {
      try loadLibrary()
      if let feed = try? xml(document, base: base, choice: choice) { return feed }
      var part = document
      part.utf8 = HTMLParser.partWithFeed(of: document.utf8)
      // A page without a feed can have the tag of one, such as a licence as RDF in a comment. So a
      // part without entries is not taken as a feed.
      if var feed = try? xml(part, base: base, choice: choice), !feed.entries.isEmpty {
        feed.diagnostics.append("the feed is a part of an HTML page")
        return feed
      }
    }
    guard var feed = HTMLParser.feed(document.utf8, base: base, choice: choice) else {
      throw .notAFeed(looksLike: "an HTML page")
    }
    feed.diagnostics += document.notes
    return feed
  }

  /// Loads libxml2, so that the first feed does not have to wait for it. The call blocks while the
  /// disk is read.
  package static func prepare() {
    _ = XMLReader.trouble
  }

  private static func loadLibrary() throws(FeedError) {
    if let reason = XMLReader.trouble { throw .noLibrary(reason) }
  }

  /// The names of root and record elements, which `XMLSanitizer` needs to repair a broken document.
  static let documents = XMLSanitizer.Words(
    roots: ["rss", "rdf", "feed", "channel", "redirect", "opml", "playlist", "list"],
    records: ["item", "entry", "track"])

  private static func xml(
    _ document: TextEncoding.Decoded, base: String, choice: MediaChoice
  ) throws(FeedError) -> Feed {
    try loadLibrary()
    var outline = FeedOutline(base: base, choice: choice)
    var bytes = document.utf8
    var outcome = XMLReader.read(bytes, into: outline)
    if let root = outline.foreignRoot, outcome == .stopped, !fragments.contains(root) {
      if root == "mpd" { return try StreamDocument.feed(.dash, at: base, choice: choice) }
      throw .notAFeed(looksLike: DocumentSniffer.named(root: root))
    }
    let isBroken = outcome == .broken || outline.format == nil
    if isBroken {
      bytes = XMLSanitizer.clean(bytes, documents)
      outline = FeedOutline(base: base, choice: choice)
      outcome = XMLReader.read(bytes, recovering: true, into: outline)
    }
    // Few feeds have media only in their texts. Such a document is read a second time, because
    // keeping the texts of every feed would cost more than everything else.
    if outline.format?.lacksFiles == true, PageReader.mayHoldPlayer(bytes) {
      outline = FeedOutline(base: base, choice: choice, readsTexts: true)
      outcome = XMLReader.read(bytes, recovering: isBroken, into: outline)
    }
    if (outline.format as? NginxXMLParser)?.isForeign == true {
      throw .notAFeed(looksLike: DocumentSniffer.named(root: "list"))
    }
    guard var feed = outline.finish() else {
      throw .notAFeed(looksLike: DocumentSniffer.rootless(document.utf8))
    }
    feed.recovered = isBroken || !document.notes.isEmpty
    feed.diagnostics += document.notes
    feed.diagnose(isBroken: isBroken, isCut: outcome == .stopped)
    if outline.tree.isTextCut { feed.diagnoseLongText() }
    return feed
  }

  /// Elements that a server prints in front of a feed when something went wrong.
  private static let fragments: Set<String> = ["br", "b", "p", "div", "pre", "script", "font"]
}

extension Feed {
  mutating func diagnoseCut() {
    diagnostics.append(
      "the feed has more than \(XMLLimit.entries) entries, the rest was not read")
  }

  mutating func diagnoseLongText() {
    diagnostics.append("texts of more than \(XMLLimit.text >> 20) MB were cut")
  }

  fileprivate mutating func diagnose(_ reader: JSONReader) {
    if reader.isDamaged { diagnostics.append("the document is not valid JSON and was repaired") }
    if reader.isTextCut { diagnoseLongText() }
    if reader.isTooDeep {
      diagnostics.append("values more than \(XMLLimit.depth) levels deep were left out")
    }
    if reader.isCut {
      diagnostics.append(
        "there are more than \(JSONReader.maxValues) values, the rest was not read")
    }
  }

  fileprivate mutating func diagnose(isBroken: Bool, isCut: Bool) {
    if isBroken {
      diagnostics.append("the document is not well-formed XML and was repaired")
    }
    if isCut { diagnoseCut() }
    let duplicates = entries.indices.count {
      entries.skipped(at: $0)?.hasPrefix("a duplicate") == true
    }
    if duplicates > 0 { diagnostics.append("entries that repeat an earlier one: \(duplicates)") }
  }
}

/// The reason why bytes gave no feed.
package enum FeedError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The bytes are no feed. `looksLike` says what they look like, with an article, such as "an HTML
  /// page".
  case notAFeed(looksLike: String)
  /// The document is too large. Both numbers are bytes.
  case tooLarge(length: Int, limit: Int)
  /// libxml2 cannot be loaded, so no XML can be read. The value is the reason.
  case noLibrary(String)

  package var description: String {
    switch self {
    case .notAFeed(let looksLike):
      "this is no feed, it looks like \(looksLike)"
    case .tooLarge(let length, let limit):
      "the feed has \(length) bytes, and no more than \(limit) are read"
    case .noLibrary(let reason):
      "libxml2 cannot be loaded (\(reason)); install it (on Debian and Ubuntu: `apt install libxml2`)"
    }
  }
}
