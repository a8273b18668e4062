import Markup

extension XMLElement {
  /// Reads a manifest, or subtitles in XML, and returns the root element.
  ///
  /// - Throws: `malformed` if the document is not well-formed; `tooLarge` if it exceeds
  ///   `PlaylistLimits`; `unsupported` if XML cannot be read at all.
  static func root(
    of document: [UInt8], keepsText: Bool = false
  ) throws(StreamError) -> XMLElement {
    guard document.count <= PlaylistLimits.bytes else { throw .tooLarge("manifest") }
    do throws(XMLElement.Fault) {
      return try XMLElement(
        document: document, keepsText: keepsText, maxElements: PlaylistLimits.elements,
        maxDepth: PlaylistLimits.depth)
    } catch {
      switch error {
      case .unreadable(let reason):
        throw .unsupported("the manifest cannot be read as XML: \(reason)")
      case .tooLarge: throw .tooLarge("elements of a manifest")
      case .malformed: throw .malformed("a manifest that is not well-formed XML")
      }
    }
  }

  /// Reads an attribute as a number without sign; nil if the attribute is missing.
  func number(_ name: String) throws(StreamError) -> Int? {
    guard let text = self[name] else { return nil }
    guard let number = Int(text), number >= 0, number <= PlaylistLimits.resource << 12 else {
      throw .malformed("\(name) in a manifest")
    }
    return number
  }
}
