@_spi(_Unicode) import Swift

/// A text in a form in which texts are equal that differ only in case, or in how their characters are
/// composed. "STRASSE" is equal to "straße".
package struct FoldedText: Hashable, Sendable {
  let scalars: [Unicode.Scalar]

  package init(_ text: String) {
    scalars = Array(text.uppercased().lowercased()._nfc)
  }

  package var isEmpty: Bool { scalars.isEmpty }

  package func begins(with other: FoldedText) -> Bool { scalars.starts(with: other.scalars) }

  package func contains(_ other: FoldedText) -> Bool { places(of: other).contains { _ in true } }

  /// The places of `part`, which is not empty.
  func places(of part: FoldedText) -> some Sequence<Range<Int>> {
    let (scalars, part) = (scalars, part.scalars)
    let last = part.isEmpty ? -1 : scalars.count - part.count
    return (0..<max(0, last + 1)).lazy.filter { start in
      scalars[start] == part[0] && scalars[start..<start + part.count].elementsEqual(part)
    }.map { $0..<$0 + part.count }
  }
}
