/// An element in an `XMLTree`. It is valid until the parser has read the record that contains it.
package struct XMLNode {
  /// A node does not retain its tree, because the outline keeps the tree as long as there are
  /// nodes. To count a reference at each access would take a third of the time of parsing.
  private let tree: Unmanaged<XMLTree>
  /// The element's place in the tree.
  let place: Int

  init(tree: XMLTree, place: Int) {
    self.init(tree: .passUnretained(tree), place: place)
  }

  fileprivate init(tree: Unmanaged<XMLTree>, place: Int) {
    self.tree = tree
    self.place = place
  }

  package var space: Namespace { look { $0.space(of: place) } }

  /// The local name in lower case.
  package var name: String { look { $0.name(of: place) } }

  /// The base of relative addresses in this element.
  package var base: String { look { $0.base(of: place) } }

  /// All text below this element, in document order, without white space at the ends.
  package var text: String { look { $0.text(of: place) } }

  /// Returns the first `count` bytes of the text. A character that is cut in two is left out.
  package func beginning(_ count: Int) -> String { look { $0.beginning(of: place, count) } }

  /// Whether there is any text below this element.
  package var hasText: Bool { look { $0.hasText(at: place) } }

  /// The attribute without white space at both ends; nil if it is empty or missing.
  package subscript(_ attribute: String) -> String? { look { $0.trimmed(attribute, of: place) } }

  /// All attributes as they are written, by name.
  var attributes: [String: String] { look { $0.allAttributes(of: place) } }

  /// Returns the attribute as it is written; nil if it is missing.
  package func written(_ attribute: String) -> String? { look { $0.written(attribute, of: place) } }

  /// The elements directly in this element.
  package var children: Children {
    Children(tree: tree, place: place + 1, end: look { $0.end(of: place) })
  }

  package func children(_ space: Namespace, _ name: String) -> Children {
    var children = children
    children.wanted = (space, name)
    return children
  }

  private func look<Result>(_ body: (XMLTree) -> Result) -> Result {
    tree._withUnsafeGuaranteedRef(body)
  }

  package struct Children: Sequence, IteratorProtocol {
    fileprivate let tree: Unmanaged<XMLTree>
    fileprivate var place: Int
    fileprivate let end: Int
    /// The namespace and name of the elements to return; nil for all elements.
    fileprivate var wanted: (space: Namespace, name: String)?

    package mutating func next() -> XMLNode? {
      while place < end {
        let node = XMLNode(tree: tree, place: place)
        place = tree._withUnsafeGuaranteedRef { $0.end(of: place) }
        guard let wanted, node.space != wanted.space || node.name != wanted.name else {
          return node
        }
      }
      return nil
    }
  }
}
