/// Receives the contents of an XML document, on the thread that reads.
package protocol XMLHandler: AnyObject {
  /// The elements that the reader gives attributes and text to.
  var tree: XMLTree { get }

  /// Whether text at this place is used.
  var wantsText: Bool { get }

  /// Begins an element. Returns false to stop the reader.
  ///
  /// - Parameter attributes: gives the attributes to the element that `tree` has begun last.
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

/// Limits on the resources that one document may use.
package enum XMLLimit {
  /// The most entries of a feed.
  package static let entries = 100_000
  /// The most bytes of one text. The rest is cut.
  package static let text = 1 << 20
  /// The most bytes of an attribute. A longer one counts as missing.
  package static let attribute = 64 << 10
  /// The most attributes of an element. Further ones count as missing.
  static let attributes = 64
  /// The most levels of nested elements.
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
