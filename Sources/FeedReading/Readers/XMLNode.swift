import Addresses

/// An element, with only the content that is used.
///
/// Only the parsing thread uses it.
final class XMLNode {
  enum Content {
    case text(String)
    case node(XMLNode)
  }

  let space: Namespace
  /// The local name in lower case.
  let name: String
  let attributes: XMLAttributes
  /// The base of relative addresses in this element.
  let base: String
  private(set) var content: [Content] = []
  private var textLength = 0

  init(space: Namespace, name: String, attributes: XMLAttributes, parentBase: String) {
    self.space = space
    self.name = name
    self.attributes = attributes
    base = attributes["xml:base"].map { WebAddress.base($0, within: parentBase) } ?? parentBase
  }

  func append(_ node: XMLNode) {
    content.append(.node(node))
  }

  /// Appends text up to the limit. Returns false if the text was cut.
  func append(_ text: String) -> Bool {
    let room = XMLLimit.text - textLength
    let isWhole = text.utf8.count <= room
    let kept = isWhole ? text : String(decoding: text.utf8.prefix(room), as: UTF8.self)
    textLength += min(text.utf8.count, room)
    if !kept.isEmpty { content.append(.text(kept)) }
    return isWhole
  }

  var children: [XMLNode] {
    content.compactMap { if case .node(let node) = $0 { node } else { nil } }
  }

  func `is`(_ space: Namespace, _ name: String) -> Bool {
    self.space == space && self.name == name
  }

  func children(_ space: Namespace, _ name: String) -> [XMLNode] {
    children.filter { $0.is(space, name) }
  }

  /// All text below this element, in document order, without white space at the ends.
  var text: String {
    var result = ""
    collect(into: &result)
    return result.trimmed
  }

  /// The attribute without surrounding white space; nil if it is empty.
  subscript(_ attribute: String) -> String? {
    attributes[attribute].flatMap { $0.trimmed.nonEmpty }
  }

  private func collect(into result: inout String) {
    for part in content {
      switch part {
      case .text(let text):
        result += text
      case .node(let node):
        let parts = PlainText.blockElements.contains(node.name)
        if parts { result += " " }
        node.collect(into: &result)
        if parts { result += " " }
      }
    }
  }
}
