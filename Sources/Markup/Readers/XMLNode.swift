/// An element, with only the content that is used. It is valid until its record has been taken.
package struct XMLNode {
  /// The outline keeps the tree as long as there are nodes, so a node counts no reference. Counting
  /// one at each access would take a third of the time of parsing.
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

  /// Returns the first `count` bytes of the text, without a character that is cut.
  package func beginning(_ count: Int) -> String { look { $0.beginning(of: place, count) } }

  /// Whether there is any text below this element.
  package var hasText: Bool { look { $0.hasText(at: place) } }

  /// The attribute without surrounding white space; nil if it is empty.
  package subscript(_ attribute: String) -> String? { look { $0.trimmed(attribute, of: place) } }

  /// All attributes as they are written, by name.
  var attributes: [String: String] { look { $0.allAttributes(of: place) } }

  /// Returns the attribute as it is written.
  package func written(_ attribute: String) -> String? { look { $0.written(attribute, of: place) } }

  /// The elements in this one, without those in them.
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
    /// The elements that are meant; nil for all.
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
