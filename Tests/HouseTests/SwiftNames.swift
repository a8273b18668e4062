/// The names that a Swift file uses and declares, outside comments and string literals.
struct SwiftNames {
  /// Types that the file defines at top level.
  private(set) var defined: Set<String> = []
  /// Names with a capital letter.
  private(set) var named: Set<String> = []
  private(set) var imported: Set<String> = []
  /// All names that the file declares, as often as it does: types, functions, parameters and their
  /// labels, properties, variables, cases.
  private(set) var declared: [String] = []

  private static let types: Set = [
    "struct", "class", "enum", "protocol", "actor", "typealias", "associatedtype",
  ]
  private static let values: Set = ["func", "var", "let"]
  private static let makers: Set = ["init", "subscript"]

  init(in text: String) {
    let tokens = SwiftTokens(in: text).tokens
    var depth = 0
    var keyword = ""
    for (place, token) in tokens.enumerated() {
      switch token {
      case .sign("{"): depth += 1
      case .sign("}"): depth -= 1
      case .word(let word):
        note(word, after: keyword, isOnTop: depth == 0)
        let isCalled = place > 0 && tokens[place - 1] == .sign(".")
        if word == "case" {
          declared += Self.cases(tokens[(place + 1)...])
        } else if keyword == "func" || Self.makers.contains(word) && !isCalled {
          declared += Self.parameters(tokens[place...])
        }
        keyword = word
      case .sign, .text, .lineEnd: break
      }
    }
  }

  private mutating func note(_ word: String, after keyword: String, isOnTop: Bool) {
    if keyword == "import" { imported.insert(word) }
    let isType = Self.types.contains(keyword)
    if isType || Self.values.contains(keyword) { declared.append(word) }
    guard word.first?.isUppercase ?? false else { return }
    if isOnTop, isType { defined.insert(word) }
    named.insert(word)
  }

  /// Returns the cases that a line declares, with the labels of their values; none if it is a line of
  /// a `switch`.
  private static func cases(_ tokens: ArraySlice<SwiftTokens.Token>) -> [String] {
    var names: [String] = []
    var depth = 0
    var isNext = true
    for (place, token) in zip(tokens.indices, tokens) {
      switch token {
      case .sign("("):
        if depth == 0 { names += parameters(tokens[place...]) }
        depth += 1
      case .sign(")"): depth -= 1
      case .sign(","): if depth == 0 { isNext = true }
      case .word(let word) where depth == 0:
        guard isNext, !["let", "var", "is", "nil"].contains(word) else { return [] }
        names.append(word)
        isNext = false
      case .lineEnd where depth == 0 && !isNext, .sign("=") where depth == 0: return names
      case .sign(".") where depth == 0, .sign(":") where depth == 0: return []
      case .word, .sign, .text, .lineEnd: break
      }
    }
    return names
  }

  /// Returns the names before the colons within the first parentheses, and the labels before these.
  private static func parameters(_ tokens: ArraySlice<SwiftTokens.Token>) -> [String] {
    var names: [String] = []
    var words: [String] = []
    var depth = 0
    for token in tokens {
      switch token {
      case .sign("("), .sign("["), .sign("{"): depth += 1
      case .sign(")"), .sign("]"), .sign("}"):
        depth -= 1
        if depth <= 0 { return names }
      case .sign(","): words = []
      case .sign(":") where depth == 1:
        names += words.filter { $0 != "_" }
        words = []
      case .sign("="): if depth == 0 { return names }
      case .lineEnd: if depth == 0 { return names }
      case .word(let word): if depth == 1 { words.append(word) }
      case .sign, .text: break
      }
    }
    return names
  }
}
