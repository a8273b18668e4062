import Markup

/// A document that is made piece by piece, so that a long one is never in memory as a whole.
package struct Pieces: Sendable {
  package let count: Int
  private let make: @Sendable (Int) -> [UInt8]

  /// - Parameter make: returns the piece with this number, which counts from 0. It must return the
  ///   same piece at each call.
  package init(count: Int, make: @escaping @Sendable (Int) -> [UInt8]) {
    self.count = count
    self.make = make
  }

  /// Makes a document of one piece.
  package init(_ whole: [UInt8]) {
    self.init(count: 1) { _ in whole }
  }

  package subscript(_ number: Int) -> [UInt8] { make(number) }

  /// The whole document.
  package var joined: [UInt8] { (0..<count).flatMap { make($0) } }
}

extension Pieces {
  /// The number of list items in one piece.
  private static let batch = 200

  /// Makes an indented JSON object with a long list as one of its members.
  ///
  /// - Parameters:
  ///   - shell: the encoded object, in which the list is empty.
  ///   - list: the member's name.
  ///   - count: the number of items.
  ///   - items: returns an encoded object that has the list alone, with the items of a range of
  ///     places.
  package init(
    _ shell: [UInt8], list: String, count: Int, items: @escaping @Sendable (Range<Int>) -> [UInt8]
  ) {
    // No encoded text contains a line break, so this text can match only at the member itself.
    let opening = Array("\n  \"\(list)\" : [".utf8)
    let starts = shell.indices.lazy.filter { shell[$0...].starts(with: opening) }
    guard count > 0, let start = starts.first else {
      self.init(shell)
      return
    }
    let head = shell[..<(start + opening.count)]
    let closing = shell[head.endIndex...].firstIndex(of: Byte.closeBracket) ?? shell.endIndex
    let batches = (count + Self.batch - 1) / Self.batch
    let parts = Pieces(count: batches + 2) { number in
      if number == 0 { return Array(head) }
      if number > batches { return Array("\n  ".utf8) + shell[closing...] }
      let first = (number - 1) * Self.batch
      let object = items(first..<min(first + Self.batch, count))
      // "{" comes before the opening of the list, and "\n  ]\n}" behind its last item.
      let inner = object.dropFirst(1 + opening.count).dropLast(6)
      return (number > 1 ? [UInt8(ascii: ",")] : []) + inner
    }
    self = batches > 1 ? parts : Pieces(count: 1) { _ in parts.joined }
  }
}
