/// The places of the statements in a TOML text. They are enough to name a line, and to cut out a
/// table.
///
/// For text that is no TOML, the outline is right up to the first mistake.
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
    /// The key as written. Escapes in quoted keys stay.
    let path: [String]
    /// The line, from 1.
    let line: Int
    /// The bytes of its lines, with the last line end.
    var bytes: Range<Int>
  }

  private(set) var statements: [Statement] = []
  /// The line of the first mistake of three kinds. These are a table without a name, a closing
  /// bracket without its partner, and an unquoted word that cannot be a value.
  let mistake: Int?

  init(_ text: String) {
    var scanner = TOMLScanner(text)
    while let statement = scanner.next() { statements.append(statement) }
    mistake = scanner.mistake
  }

  /// Returns the statements of the n-th `[[name]]`, from 0. Its header comes first. The result is
  /// empty if there is no such table.
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

  /// Returns all headers, and the values outside of every `[[name]]` and its inner tables.
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
