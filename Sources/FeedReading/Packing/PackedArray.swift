/// An array for many values, of which only a few are used at the same time. It stores packed bytes,
/// and unpacks a value when the value is read.
///
/// Copies share their unchanged elements. The type and everything that it uses are public and
/// inlinable, so that the compiler can specialise it for elements of another target.
public struct PackedArray<Element: Packable>: Sendable {
  @usableFromInline package var packed: [[UInt8]] = []
}

extension PackedArray: Equatable, Hashable {}

extension PackedArray: ExpressibleByArrayLiteral {
  @inlinable public init(arrayLiteral elements: Element...) {
    self.init(elements)
  }
}

extension PackedArray: RandomAccessCollection, MutableCollection {
  @inlinable public init(_ elements: some Sequence<Element>) {
    packed = elements.map { $0.packed() }
  }

  @inlinable public var startIndex: Int { 0 }
  @inlinable public var endIndex: Int { packed.count }

  @inlinable public subscript(_ place: Int) -> Element {
    get {
      var unpacker = Unpacker(packed[place])
      return Element(from: &unpacker)
    }
    set { packed[place] = newValue.packed() }
  }

  @inlinable public mutating func append(_ element: consuming Element) {
    packed.append(element.packed())
  }
}
