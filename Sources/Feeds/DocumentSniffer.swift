/// What bytes are that are no feed.
enum DocumentSniffer {
  /// Of a document that cannot be XML; nil where it may be.
  static func foreign(_ utf8: [UInt8]) -> String? {
    guard let first = utf8.first(where: { !Byte.isSpace($0) }) else {
      return "nothing: the body is empty"
    }
    switch first {
    case UInt8(ascii: "{"), Byte.openBracket:
      return "a JSON document"
    case Byte.hash where starts(utf8, with: "#extm3u"):
      let isStream = ["#ext-x-targetduration", "#ext-x-stream-inf"].contains {
        head(utf8).contains($0)
      }
      return isStream ? "an HLS playlist" : "an M3U playlist"
    default:
      return utf8.contains(Byte.less) ? nil : plain(utf8)
    }
  }

  /// Of a document whose root is no feed's.
  static func named(root: String) -> String {
    switch root {
    case "html", "head", "body": "an HTML page"
    case "opml": "an OPML list"
    case "playlist": "an XSPF playlist"
    case "mpd": "a DASH manifest"
    case "urlset", "sitemapindex": "a sitemap"
    default:
      "an XML document with the root element <\(PlainText.printable(String(root.prefix(40))))>"
    }
  }

  /// Of a document in which no root could be found.
  static func rootless(_ utf8: [UInt8]) -> String {
    let head = head(utf8)
    let isPage = ["<html", "<!doctype html", "<head", "<body"].contains { head.contains($0) }
    if isPage { return "an HTML page" }
    let isMarkup = utf8.first { !Byte.isSpace($0) } == Byte.less
    return isMarkup ? "an XML document without a root element" : plain(utf8)
  }

  private static func plain(_ utf8: [UInt8]) -> String {
    utf8.prefix(4096).contains(where: Byte.isControl) ? "binary data" : "plain text"
  }

  private static func starts(_ utf8: [UInt8], with text: String) -> Bool {
    head(utf8).trimmed.hasPrefix(text)
  }

  /// The first 4 KiB in lower case.
  private static func head(_ utf8: [UInt8]) -> String {
    String(decoding: utf8.prefix(4096), as: UTF8.self).lowercased()
  }
}
