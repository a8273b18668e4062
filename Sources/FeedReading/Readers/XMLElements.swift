package import Streams

/// Reads any XML document into elements, for readers that need all of it.
package enum XMLElements {
  /// Returns the root. Names are in lower case and without prefix, and only elements without children
  /// have their text.
  ///
  /// - Throws: `malformed` if the document is not well-formed; `tooLarge` beyond `PlaylistLimits`.
  package static func root(of document: [UInt8]) throws(StreamFault) -> ManifestElement {
    guard document.count <= PlaylistLimits.bytes else { throw .tooLarge("manifest") }
    if let reason = XMLReader.trouble { throw .unsupported("XML cannot be read: \(reason)") }
    let collector = ElementCollector()
    let outcome = XMLReader.read(TextEncoding.decode(document).utf8, into: collector)
    if outcome == .stopped { throw .tooLarge("elements of a manifest") }
    guard outcome == .whole, let root = collector.root else {
      throw .malformed("a manifest that is not well-formed XML")
    }
    return root
  }
}

/// Puts elements into one another. Only the parsing thread uses it.
private final class ElementCollector: XMLHandler {
  let tree = XMLTree(base: "")
  private(set) var root: ManifestElement?
  private var open: [ManifestElement] = []
  private var count = 0

  let wantsText = true

  func start(_ name: XMLName, attributes: () -> Void) -> Bool {
    count += 1
    guard count <= PlaylistLimits.elements, open.count < PlaylistLimits.depth else { return false }
    let node = tree.begin(name, space: name.space)
    attributes()
    var element = ManifestElement(name.local)
    element.attributes = node.attributes
    open.append(element)
    return true
  }

  func end() {
    guard let node = tree.end(), var element = open.popLast() else { return }
    if element.children.isEmpty { element.text = node.text }
    if open.isEmpty {
      root = element
    } else {
      open[open.count - 1].children.append(element)
    }
  }
}
