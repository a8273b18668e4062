/// The lines of a text that are not empty, one by one, however they end.
struct TextLines: Sequence, IteratorProtocol {
  private var rest: ArraySlice<UInt8>

  init(_ utf8: [UInt8]) {
    rest = utf8[...]
  }

  mutating func next() -> ArraySlice<UInt8>? {
    guard let start = rest.firstIndex(where: { !Self.isBreak($0) }) else { return nil }
    rest = rest[start...]
    let end = rest.firstIndex(where: Self.isBreak) ?? rest.endIndex
    defer { rest = rest[end...] }
    return rest[..<end]
  }

  private static func isBreak(_ byte: UInt8) -> Bool {
    byte == 0x0A || byte == 0x0D
  }
}
