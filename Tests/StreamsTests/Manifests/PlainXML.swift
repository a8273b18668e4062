@testable import Streams

/// Reads the plain XML of these tests. The product gets elements from the reader of feeds.
enum PlainXML {
  static func element(_ text: String, keepsText: Bool = false) -> ManifestElement {
    var open: [ManifestElement] = [ManifestElement("document")]
    var rest = text[...]
    while let start = rest.firstIndex(of: "<"), let end = rest[start...].firstIndex(of: ">") {
      let before = rest[..<start]
      open[open.count - 1].text += before.filter { !$0.isWhitespace }
      if keepsText, !before.isEmpty {
        var run = ManifestElement("")
        run.text = String(before).replacing("&lt;", with: "<").replacing("&amp;", with: "&")
        open[open.count - 1].children.append(run)
      }
      let tag = rest[rest.index(after: start)..<end]
      rest = rest[rest.index(after: end)...]
      if tag.hasPrefix("?") || tag.hasPrefix("!") { continue }
      if tag.hasPrefix("/") {
        let whole = open.removeLast()
        open[open.count - 1].children.append(whole)
        continue
      }
      let isEmpty = tag.hasSuffix("/")
      let element = element(ofTag: tag.drop { $0 == "/" })
      if isEmpty {
        open[open.count - 1].children.append(element)
      } else {
        open.append(element)
      }
    }
    return open[0].children.first { !$0.name.isEmpty } ?? ManifestElement("nothing")
  }

  private static func element(ofTag tag: Substring) -> ManifestElement {
    func local(_ name: Substring) -> String { (name.split(separator: ":").last ?? "").lowercased() }
    let name = tag.prefix { !$0.isWhitespace && $0 != "/" }
    var element = ManifestElement(local(name))
    var rest = tag[name.endIndex...]
    while let equals = rest.firstIndex(of: "=") {
      let key = rest[..<equals].drop(while: \.isWhitespace)
      let value = rest[equals...].dropFirst(2)
      let end = value.firstIndex(of: "\"") ?? value.endIndex
      if key != "xmlns", !key.hasPrefix("xmlns:") {
        let name = key.hasPrefix("xml:") ? String(key) : local(key)
        element.attributes[name] = String(value[..<end]).replacing("&amp;", with: "&")
      }
      rest = value[end...].dropFirst()
    }
    return element
  }
}
