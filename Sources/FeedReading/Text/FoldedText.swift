@_spi(_Unicode) import Swift

/// A text in a form that ignores case and the composition of characters. "STRASSE" is equal to
/// "straße".
package struct FoldedText: Hashable, Sendable {
  let scalars: [Unicode.Scalar]

  package init(_ text: String) {
    scalars = Array(text.uppercased().lowercased()._nfc)
  }

  package var isEmpty: Bool { scalars.isEmpty }
  package var count: Int { scalars.count }

  package func begins(with other: FoldedText) -> Bool { scalars.starts(with: other.scalars) }

  package func contains(_ other: FoldedText) -> Bool { places(of: other).contains { _ in true } }

  /// Returns the edit distance (Damerau–Levenshtein) between this text and the part of `other` that
  /// fits best. 0 means that `other` contains this text.
  package func mistakes(within other: FoldedText) -> Int {
    // Each row belongs to one prefix of this text. It has, for each place in `other`, the distance
    // of the prefix from the best part of `other` that ends there.
    var before: [Int] = []
    var last = [Int](repeating: 0, count: other.scalars.count + 1)
    for (row, scalar) in scalars.enumerated() {
      var next = [row + 1]
      for (column, found) in other.scalars.enumerated() {
        var least = min(last[column + 1], next[column]) + 1
        least = min(least, last[column] + (scalar == found ? 0 : 1))
        if row > 0, column > 0, scalar == other.scalars[column - 1], scalars[row - 1] == found {
          least = min(least, before[column - 1] + 1)
        }
        next.append(least)
      }
      (before, last) = (last, next)
    }
    return last.min() ?? 0
  }

  /// Returns the ranges where `part` occurs; none if `part` is empty.
  func places(of part: FoldedText) -> some Sequence<Range<Int>> {
    let (scalars, part) = (scalars, part.scalars)
    let last = part.isEmpty ? -1 : scalars.count - part.count
    return (0..<max(0, last + 1)).lazy.filter { start in
      scalars[start] == part[0] && scalars[start..<start + part.count].elementsEqual(part)
    }.map { $0..<$0 + part.count }
  }
}
