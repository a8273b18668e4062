/// Many values of which few are looked at: each takes up no more than its bytes, and is made of them when
/// it is asked for.
///
/// A copy shares all that is not changed afterwards.
package struct PackedArray<Element: Packable>: Sendable {
  private(set) var packed: [[UInt8]] = []
}

extension PackedArray: Equatable, Hashable {}

extension PackedArray: ExpressibleByArrayLiteral {
  package init(arrayLiteral elements: Element...) {
    self.init(elements)
  }
}

extension PackedArray: RandomAccessCollection, MutableCollection {
  package init(_ elements: some Sequence<Element>) {
    packed = elements.map(\.packed)
  }

  package var startIndex: Int { 0 }
  package var endIndex: Int { packed.count }

  package subscript(_ place: Int) -> Element {
    get {
      var unpacker = Unpacker(packed[place])
      return Element(from: &unpacker)
    }
    set { packed[place] = newValue.packed }
  }

  package mutating func append(_ element: Element) {
    packed.append(element.packed)
  }

  /// The outcome of each element; each goes as soon as it was taken.
  mutating func converted<Other: Packable>(
    _ convert: (Element) -> Other
  ) -> PackedArray<Other> {
    var bytes = packed
    packed = []
    for place in bytes.indices {
      var unpacker = Unpacker(bytes[place])
      bytes[place] = convert(Element(from: &unpacker)).packed
    }
    return PackedArray<Other>(packed: bytes)
  }
}
