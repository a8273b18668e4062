/// An RSS 2.0 feed of enclosures.
struct RSS {
  struct Item {
    let title: String
    let guid: String
    /// Seconds since 1970.
    let published: Int
    let url: String
    let length: Int
    let type: String
  }

  let title: String
  let link: String
  var items: [Item]

  var document: [UInt8] {
    var text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <rss version="2.0"><channel><title>\(Self.escaped(title))</title>
      <link>\(Self.escaped(link))</link><description>Served by the test origin</description>

      """
    for item in items {
      text += """
        <item><title>\(Self.escaped(item.title))</title>\
        <guid isPermaLink="false">\(Self.escaped(item.guid))</guid>\
        <pubDate>\(HTTPDate.text(item.published))</pubDate>\
        <enclosure url="\(Self.escaped(item.url))" length="\(item.length)" type="\(item.type)"/>\
        </item>

        """
    }
    return Array((text + "</channel></rss>\n").utf8)
  }

  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for character in text {
      switch character {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      default: escaped.append(character)
      }
    }
    return escaped
  }
}
