/// An element of an XML document, with all that is in it.
///
/// Names are in lower case and have no prefix. If texts are kept (`keepsText`), each text between
/// other children is a child without a name.
package struct XMLElement: Hashable, Sendable {
  package var name: String
  package var attributes: [String: String] = [:]
  package var children: [XMLElement] = []
  /// The text directly in the element, without white space at its ends.
  package var text = ""

  package init(_ name: String) {
    self.name = name
  }

  /// An attribute; nil if it is missing or empty.
  package subscript(_ name: String) -> String? {
    guard let value = attributes[name], !value.isEmpty else { return nil }
    return value
  }

  package func all(_ name: String) -> LazyFilterSequence<[XMLElement]> {
    children.lazy.filter { $0.name == name }
  }

  package func first(_ name: String) -> XMLElement? {
    children.first { $0.name == name }
  }

  package func has(_ name: String) -> Bool {
    children.contains { $0.name == name }
  }
}
