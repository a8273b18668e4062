extension XMLElement {
  /// A reason why a document cannot be read.
  package enum Fault: Error {
    /// The document has too many elements, or too many levels of them.
    case tooLarge
    /// The document is not well-formed.
    case malformed
    /// The library that reads XML cannot be loaded, for this reason.
    case unreadable(String)
  }

  /// Reads a whole document. Only an element without children has `text`.
  ///
  /// - Parameters:
  ///   - keepsText: whether each text becomes a child without a name, in the order of the document
  ///     and as it is written.
  ///   - maxElements: the limit for the elements of the document.
  ///   - maxDepth: the limit for the levels of nested elements.
  package init(
    document: [UInt8], keepsText: Bool = false, maxElements: Int, maxDepth: Int
  ) throws(Fault) {
    if let reason = XMLReader.trouble { throw .unreadable(reason) }
    let collector = ElementCollector(
      keepsText: keepsText, maxElements: maxElements, maxDepth: maxDepth)
    let outcome = XMLReader.read(TextEncoding.decode(document).utf8, into: collector)
    if outcome == .stopped { throw .tooLarge }
    guard outcome == .whole, let root = collector.root else { throw .malformed }
    self = root
  }
}

/// Builds the elements while the document is read. Only the parsing thread uses it.
private final class ElementCollector: XMLHandler {
  let tree = XMLTree(base: "")
  private(set) var root: XMLElement?
  private var open: [XMLElement] = []
  private var count = 0

  private let keepsText: Bool
  private let maxElements: Int
  private let maxDepth: Int
  /// The place in the text of `tree` up to which text was taken.
  private var taken = 0

  let wantsText = true

  init(keepsText: Bool, maxElements: Int, maxDepth: Int) {
    self.keepsText = keepsText
    self.maxElements = maxElements
    self.maxDepth = maxDepth
  }

  /// Adds the text since the last tag as a child of the open element, if texts are kept.
  private func takeText() {
    guard keepsText, !open.isEmpty, tree.textEnd > taken else { return }
    count += 1
    var element = XMLElement("")
    element.text = tree.text(from: taken)
    open[open.count - 1].children.append(element)
  }

  func start(_ name: XMLName, attributes: () -> Void) -> Bool {
    takeText()
    count += 1
    guard count <= maxElements, open.count < maxDepth else { return false }
    let node = tree.begin(name, space: name.space)
    attributes()
    taken = tree.textEnd
    var element = XMLElement(name.local)
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
