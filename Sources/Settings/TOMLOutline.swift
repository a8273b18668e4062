/// Where the statements of a TOML text stand: enough to name a line, and to cut out a table.
///
/// Of a text that is no TOML it is right up to the first mistake.
struct TOMLOutline {
  struct Statement: Equatable {
    enum Kind: Hashable {
      /// `[a.b]`
      case table
      /// `[[a.b]]`
      case element
      /// `a.b = …`
      case value
    }

    let kind: Kind
    /// As written: escapes in quoted keys stay.
    let path: [String]
    /// From 1.
    let line: Int
    /// From the first byte of its first line to behind the end of its last one.
    var bytes: Range<Int>
  }

  private(set) var statements: [Statement] = []
  /// The line of the first table without a name, bracket without its partner, or word outside of
  /// quotes that cannot be a value; other mistakes are not looked for.
  let mistake: Int?

  init(_ text: String) {
    var scanner = TOMLScanner(text)
    while let statement = scanner.next() { statements.append(statement) }
    mistake = scanner.mistake
  }

  /// The statements of the n-th `[[name]]`, from 0; it comes first. Empty where there is none.
  func element(_ number: Int, of name: String) -> ArraySlice<Statement> {
    let starts = statements.indices.filter {
      statements[$0].kind == .element && statements[$0].path == [name]
    }
    guard starts.indices.contains(number) else { return [] }
    let rest = statements[starts[number]...]
    let end = rest.dropFirst().firstIndex { statement in
      statement.kind != .value && (statement.path.count == 1 || statement.path.first != name)
    }
    return rest[..<(end ?? rest.endIndex)]
  }

  /// The statements that belong to no `[[name]]` or its inner tables.
  func outside(elementsOf name: String) -> [Statement] {
    var isInside = false
    return statements.filter { statement in
      if statement.kind != .value {
        isInside = statement.path.first == name
        return true
      }
      return !isInside
    }
  }
}
