/// Receives the contents of an XML document, on the thread that reads.
package protocol XMLHandler: AnyObject {
  /// The tree into which the reader puts attributes and text.
  var tree: XMLTree { get }

  /// Whether the text at the current place is needed.
  var wantsText: Bool { get }

  /// Begins an element. Returns false to stop the reader.
  ///
  /// - Parameter attributes: a closure that puts the attributes into the element that `tree` has
  ///   begun last.
  func start(_ name: XMLName, attributes: () -> Void) -> Bool

  /// Ends the open element.
  func end()
}

/// The name of an element.
package struct XMLName {
  package let space: Namespace
  /// The local name in lower case.
  package let local: String
  /// Whether elements of this name separate words, as paragraphs do.
  let isBlock: Bool

  init(space: Namespace, local: String) {
    self.space = space
    self.local = local
    isBlock = PlainText.blockElements.contains(local)
  }
}

/// Limits on the resources that one document is allowed to use.
package enum XMLLimit {
  /// The limit for the entries of a feed.
  package static let entries = 100_000
  /// The limit for one text, in bytes. The rest of a longer text is cut off.
  package static let text = 1 << 20
  /// The limit for an attribute, in bytes. A longer attribute counts as missing.
  package static let attribute = 64 << 10
  /// The limit for the attributes of an element. Further attributes count as missing.
  static let attributes = 64
  /// The limit for the levels of nested elements.
  package static let depth = 256
  /// The number of bytes that libxml2 gets at once. Larger pieces would exceed its look-ahead limit
  /// of 10 MB.
  static let piece = 64 << 10
}

/// The result of reading a document.
package enum XMLOutcome: Hashable {
  case whole
  /// The handler stopped the reader.
  case stopped
  /// The document is not well-formed, or deeper than the limit.
  case broken
}
