import Addresses

/// The open elements of a document, and the elements of one record, with only the content that is
/// used.
///
/// All elements are in one array, in the order of the document, and all texts are in another array.
/// The arrays are used again for the next record, so an element costs no allocation. Only the
/// parsing thread uses a tree.
package final class XMLTree {
  private struct Element {
    let space: Namespace
    /// The local name in lower case.
    let name: String
    /// Whether the element separates words.
    let isBlock: Bool
    /// The place of the element's base in `bases`.
    var base: Int
    /// The places of the element's attributes.
    var attributes: Range<Int>
    /// The place in `values` where the values of these attributes begin.
    let values: Int
    /// The range of the text in the element and in the elements below it, without the spaces that
    /// separate blocks.
    var text: Range<Int>
    /// The place behind the last element inside this element.
    var end: Int
    /// The number of bytes of text in this element itself.
    var ownText = 0
  }

  private struct Attribute {
    /// The local name in lower case. `xml:base` and `xml:lang` have their prefix.
    let name: String
    /// The length of the name in bytes. Most names differ in length, so few names have to be
    /// compared.
    let length: Int
    var value: Range<Int>
  }

  /// Whether a text was longer than the limit, and was cut.
  package private(set) var isTextCut = false

  // No two accesses overlap. To check that at each access would cost more than the access itself.
  @exclusivity(unchecked) private var elements: [Element] = []
  @exclusivity(unchecked) private var attributes: [Attribute] = []
  @exclusivity(unchecked) private var values: [UInt8] = []
  @exclusivity(unchecked) private var text: [UInt8] = []
  @exclusivity(unchecked) private var bases: [String]
  /// The places of the open elements, outermost first.
  @exclusivity(unchecked) private var open: [Int] = []

  /// - Parameter base: the absolute address of the document, or an empty text.
  package init(base: String) {
    bases = [base]
  }

  /// The number of open elements.
  package var depth: Int { open.count }

  /// The innermost open element.
  package var innermost: XMLNode? { open.last.map { XMLNode(tree: self, place: $0) } }

  // MARK: Building

  /// Begins an element in the innermost open element. Call `put` for its attributes next.
  package func begin(_ name: XMLName, space: Namespace) -> XMLNode {
    let base = open.last.map { elements[$0].base } ?? 0
    if name.isBlock { text.append(Byte.space) }
    open.append(elements.count)
    elements.append(
      Element(
        space: space, name: name.local, isBlock: name.isBlock, base: base,
        attributes: attributes.count..<attributes.count, values: values.count,
        text: text.count..<text.count, end: elements.count + 1))
    return XMLNode(tree: self, place: elements.count - 1)
  }

  /// Adds an attribute to the element that was begun last.
  ///
  /// - Parameters:
  ///   - name: the local name in lower case. `xml:base` and `xml:lang` have their prefix.
  ///   - replaces: whether this value replaces that of an attribute with the same name.
  func put(_ name: String, _ value: UnsafeBufferPointer<UInt8>, replaces: Bool) {
    let last = elements.count - 1
    let own = elements[last].attributes
    let known = attribute(name, in: own)
    guard known == nil ? own.count < XMLLimit.attributes : replaces else { return }
    let start = values.count
    values.append(contentsOf: value)
    if let known {
      attributes[known].value = start..<values.count
    } else {
      attributes.append(Attribute(name: name, length: name.utf8.count, value: start..<values.count))
      elements[last].attributes = own.lowerBound..<attributes.count
    }
  }

  /// Applies the `xml:base` of the element that was begun last. It is called after all attributes
  /// of the element were put.
  package func settleBase() {
    let last = elements.count - 1
    guard let reference = written("xml:base", of: last) else { return }
    bases.append(WebAddress.base(reference, within: bases[elements[last].base]))
    elements[last].base = bases.count - 1
  }

  /// Appends text to the innermost element, up to the limit.
  func append(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let place = open.last else { return }
    let room = XMLLimit.text - elements[place].ownText
    if bytes.count <= room {
      elements[place].ownText += bytes.count
      text.append(contentsOf: bytes)
    } else {
      isTextCut = true
      elements[place].ownText = XMLLimit.text
      // A character that is cut in two becomes a replacement character.
      text += String(decoding: bytes.prefix(room), as: UTF8.self).utf8
    }
  }

  /// Appends `text` to the innermost element, up to the limit.
  package func append(_ text: String) {
    var text = text
    text.withUTF8 { append($0) }
  }

  /// Ends the innermost element, and returns it.
  package func end() -> XMLNode? {
    guard let place = open.popLast() else { return nil }
    elements[place].end = elements.count
    elements[place].text = elements[place].text.lowerBound..<text.count
    if elements[place].isBlock { text.append(Byte.space) }
    return XMLNode(tree: self, place: place)
  }

  /// Removes an element that has ended, and all elements behind it. Removes all text too, because
  /// the containers around the element have no text.
  package func remove(_ node: XMLNode) {
    attributes.removeLast(attributes.count - elements[node.place].attributes.lowerBound)
    values.removeLast(values.count - elements[node.place].values)
    elements.removeLast(elements.count - node.place)
    text.removeAll(keepingCapacity: true)
    let lastBase = open.reduce(0) { max($0, elements[$1].base) }
    if lastBase + 1 < bases.count { bases.removeSubrange((lastBase + 1)...) }
    if elements.capacity > Self.maxElements { elements = elements.copied }
    if attributes.capacity > Self.maxElements { attributes = attributes.copied }
    if values.capacity > Self.maxBytes { values = values.copied }
    if text.capacity > Self.maxBytes { text = [] }
  }

  /// How much memory the arrays keep for the next record: in elements or attributes, and in bytes.
  private static let maxElements = 10_000
  private static let maxBytes = 1 << 20

  /// The place behind all text so far.
  var textEnd: Int { text.count }

  /// Returns the text from a place on, as it is written.
  func text(from place: Int) -> String {
    text.withUnsafeBufferPointer {
      String(decoding: UnsafeBufferPointer(rebasing: $0[place...]), as: UTF8.self)
    }
  }

  /// The number of bytes of text in the innermost element itself.
  package var innermostText: Int { open.last.map { elements[$0].ownText } ?? 0 }

  // MARK: For nodes

  func hasText(at place: Int) -> Bool { !elements[place].text.isEmpty }

  func space(of place: Int) -> Namespace { elements[place].space }

  func name(of place: Int) -> String { elements[place].name }

  func base(of place: Int) -> String { bases[elements[place].base] }

  func end(of place: Int) -> Int { elements[place].end }

  func text(of place: Int) -> String {
    let range = elements[place].text
    return text.withUnsafeBufferPointer {
      String(trimming: UnsafeBufferPointer(rebasing: $0[range]))
    }
  }

  /// Returns the first `count` bytes of the text. A character that is cut in two is left out.
  func beginning(of place: Int, _ count: Int) -> String {
    let range = elements[place].text
    guard range.count > count else { return text(of: place) }
    return text.withUnsafeBufferPointer {
      var end = range.lowerBound + count
      while end > range.lowerBound, $0[end] & 0xC0 == 0x80 { end -= 1 }
      return String(trimming: UnsafeBufferPointer(rebasing: $0[range.lowerBound..<end]))
    }
  }

  /// Returns all attributes of an element as they are written, by name.
  func allAttributes(of place: Int) -> [String: String] {
    var all: [String: String] = [:]
    for attribute in attributes[elements[place].attributes] {
      all[attribute.name] = String(decoding: values[attribute.value], as: UTF8.self)
    }
    return all
  }

  /// Returns the value of an attribute as it is written.
  func written(_ name: String, of place: Int) -> String? {
    value(name, of: place).map { range in
      values.withUnsafeBufferPointer {
        String(decoding: UnsafeBufferPointer(rebasing: $0[range]), as: UTF8.self)
      }
    }
  }

  /// Returns the value of an attribute without white space at both ends.
  func trimmed(_ name: String, of place: Int) -> String? {
    value(name, of: place).flatMap { range in
      values.withUnsafeBufferPointer {
        String(trimming: UnsafeBufferPointer(rebasing: $0[range])).nonEmpty
      }
    }
  }

  private func value(_ name: String, of place: Int) -> Range<Int>? {
    attribute(name, in: elements[place].attributes).map { attributes[$0].value }
  }

  /// Returns the place of an attribute. Elements have few attributes, so a linear search is quicker
  /// than hashing.
  private func attribute(_ name: String, in range: Range<Int>) -> Int? {
    let length = name.utf8.count
    for place in range where attributes[place].length == length && attributes[place].name == name {
      return place
    }
    return nil
  }
}

extension Array {
  /// The same elements in no more memory than they need.
  fileprivate var copied: [Element] { withUnsafeBufferPointer { Array($0) } }
}
