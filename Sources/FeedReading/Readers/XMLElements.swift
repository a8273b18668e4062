package import Streams

/// Reads any XML document into elements, for readers that need all of it.
package enum XMLElements {
  /// Returns the root. Names are in lower case and without prefix, and only elements without children
  /// have their text.
  ///
  /// - Parameter keepsText: makes each text a child without a name, in order and as it is written.
  /// - Throws: `malformed` if the document is not well-formed; `tooLarge` beyond `PlaylistLimits`.
  package static func root(
    of document: [UInt8], keepsText: Bool = false
  ) throws(StreamFault) -> ManifestElement {
    guard document.count <= PlaylistLimits.bytes else { throw .tooLarge("manifest") }
    if let reason = XMLReader.trouble { throw .unsupported("XML cannot be read: \(reason)") }
    let collector = ElementCollector(keepsText: keepsText)
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

  private let keepsText: Bool
  /// The end of the text that was taken.
  private var taken = 0

  let wantsText = true

  init(keepsText: Bool) {
    self.keepsText = keepsText
  }

  /// Takes the text behind the last tag.
  private func takeText() {
    guard keepsText, !open.isEmpty, tree.textEnd > taken else { return }
    count += 1
    var element = ManifestElement("")
    element.text = tree.text(from: taken)
    open[open.count - 1].children.append(element)
  }

  func start(_ name: XMLName, attributes: () -> Void) -> Bool {
    takeText()
    count += 1
    guard count <= PlaylistLimits.elements, open.count < PlaylistLimits.depth else { return false }
    let node = tree.begin(name, space: name.space)
    attributes()
    taken = tree.textEnd
    var element = ManifestElement(name.local)
    element.attributes = node.attributes
    open.append(element)
    return true
  }

  func end() {
    takeText()
    defer { taken = tree.textEnd }
    guard let node = tree.end(), var element = open.popLast() else { return }
    if element.children.isEmpty { element.text = node.text }
    if open.isEmpty {
      root = element
    } else {
      open[open.count - 1].children.append(element)
    }
  }
}
