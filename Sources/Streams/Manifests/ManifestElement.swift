/// An element of an XML document, with all that is in it.
///
/// Names are in lower case and have no prefix. The XML reader makes these values, so this module
/// needs no XML reader. A text between other children, if it was asked for, is a child without a
/// name.
package struct ManifestElement: Hashable, Sendable {
  package var name: String
  package var attributes: [String: String] = [:]
  package var children: [ManifestElement] = []
  /// The text directly in the element, without white space at its ends.
  package var text = ""

  package init(_ name: String) {
    self.name = name
  }

  /// An attribute; nil if it is missing or empty.
  subscript(_ name: String) -> String? {
    guard let value = attributes[name], !value.isEmpty else { return nil }
    return value
  }

  func all(_ name: String) -> some Sequence<ManifestElement> {
    children.lazy.filter { $0.name == name }
  }

  func first(_ name: String) -> ManifestElement? {
    children.first { $0.name == name }
  }

  func has(_ name: String) -> Bool {
    children.contains { $0.name == name }
  }

  /// A number without sign; nil if the attribute is missing.
  func number(_ name: String) throws(StreamFault) -> Int? {
    guard let text = self[name] else { return nil }
    guard let number = Int(text), number >= 0, number <= PlaylistLimits.resource << 12 else {
      throw .malformed("\(name) in a manifest")
    }
    return number
  }
}
