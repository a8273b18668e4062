/// The keys and places of the statements in a TOML text. They are enough to name the line of a
/// mistake, and to cut out a table.
///
/// If the text is not TOML, the outline is right only up to the first mistake.
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
    /// The parts of the key between the dots. Escapes in quoted keys are not decoded.
    let path: [String]
    /// The line of the statement, from 1.
    let line: Int
    /// The bytes of the statement's lines, with the last line end.
    var bytes: Range<Int>
  }

  private(set) var statements: [Statement] = []
  /// The line of the first of these mistakes: a table without a name, a closing bracket without an
  /// opening one, or an unquoted value that cannot be TOML. Nil if there is none.
  let mistake: Int?

  init(_ text: String) {
    var scanner = TOMLScanner(text)
    while let statement = scanner.next() { statements.append(statement) }
    mistake = scanner.mistake
  }

  /// Returns the statements of the `[[name]]` with the index `number`, its header first. The result
  /// is empty if there is no such table.
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

  /// Returns all headers of tables, and those values that are in no `[[name]]` and in none of its
  /// inner tables.
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
