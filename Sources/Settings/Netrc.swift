/// The contents of `.netrc`: user names and passwords by host. ftp and curl use the same file.
///
/// A `default` entry is ignored, because it would send a password to every host that the user
/// types.
package struct Netrc: Hashable, Sendable {
  package struct Login: Hashable, Sendable {
    package let user: String
    package let password: String
  }

  private struct Entry: Hashable {
    /// The host in lower case; nil for the `default` entry.
    let host: String?
    var user: String?
    var password: String?
  }

  package static let maxFileBytes = 1 << 20  // bytes

  private var entries: [Entry] = []

  package init(_ text: String) {
    var words = Words(text)
    while let word = words.next() {
      switch word {
      case "machine": entries.append(Entry(host: words.next()?.lowercased() ?? ""))
      case "default": entries.append(Entry(host: nil))
      case "login": set(\.user, words.next())
      case "password": set(\.password, words.next())
      case "account": _ = words.next()
      case "macdef": words.skipMacro()
      default: break
      }
    }
  }

  /// The login of the first entry for `host`, which must be in lower case; nil if there is none.
  package subscript(host: String) -> Login? {
    guard let entry = entries.first(where: { $0.host == host }), let user = entry.user else {
      return nil
    }
    return Login(user: user, password: entry.password ?? "")
  }

  private mutating func set(_ part: WritableKeyPath<Entry, String?>, _ word: String?) {
    guard let last = entries.indices.last, let word else { return }
    entries[last][keyPath: part] = word
  }
}

extension Netrc {
  /// Splits the text into words at white space. In a quoted word, `\` makes the next character
  /// literal.
  private struct Words {
    private var rest: Substring.UnicodeScalarView

    init(_ text: String) {
      rest = text.unicodeScalars[...]
    }

    mutating func next() -> String? {
      while let first = rest.first, first.properties.isWhitespace || first == "#" {
        if first == "#" { skip(while: { $0 != "\n" }) } else { rest.removeFirst() }
      }
      guard let first = rest.first else { return nil }
      var word = String.UnicodeScalarView()
      let isQuoted = first == "\""
      if isQuoted { rest.removeFirst() }
      while let scalar = rest.popFirst() {
        if isQuoted ? scalar == "\"" : scalar.properties.isWhitespace { break }
        word.append(isQuoted && scalar == "\\" ? rest.popFirst() ?? scalar : scalar)
      }
      return String(word)
    }

    /// Skips the definition of a macro for ftp, which ends with an empty line.
    mutating func skipMacro() {
      while !rest.isEmpty {
        skip(while: { $0 != "\n" })
        _ = rest.popFirst()
        if rest.first == "\n" || rest.starts(with: ["\r", "\n"]) { return }
      }
    }

    private mutating func skip(while isSkipped: (Unicode.Scalar) -> Bool) {
      rest = rest.drop(while: isSkipped)
    }
  }
}
