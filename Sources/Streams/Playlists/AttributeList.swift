/// The attributes of a playlist's tag, by name (RFC 8216 §4.2).
struct AttributeList: Hashable {
  private var values: [String: String] = [:]

  /// Reads a list, and stops where its form is wrong. If a name occurs twice, its first value is
  /// used. Blanks around names and values do not count, and single quotes are quotes too.
  ///
  /// - Parameter variables: the variables whose values replace "{$name}".
  init(_ text: String, _ variables: PlaylistVariables = PlaylistVariables()) throws(StreamError) {
    var rest = text[...]
    while values.count < PlaylistLimits.attributes {
      rest = rest.drop { $0 == " " || $0 == "," }
      guard let equals = rest.firstIndex(of: "=") else { return }
      let name = String(rest[..<equals].prefix { $0 != " " })
      rest = rest[rest.index(after: equals)...].drop { $0 == " " }
      let value: Substring
      if let quote = rest.first, quote == "\"" || quote == "'" {
        rest = rest.dropFirst()
        guard let end = rest.firstIndex(of: quote) else { return }
        value = rest[..<end]
        rest = rest[rest.index(after: end)...]
      } else {
        let all = rest.prefix { $0 != "," }
        rest = rest[all.endIndex...]
        value = all[..<(all.lastIndex { $0 != " " }.map(all.index(after:)) ?? all.startIndex)]
      }
      if values[name] == nil { values[name] = try variables.replaced(in: String(value)) }
    }
  }

  /// The value of an attribute, without quotes; nil if it is missing or empty.
  subscript(_ name: String) -> String? {
    guard let value = values[name], !value.isEmpty else { return nil }
    return value
  }

  /// Whether the attribute is there, even if it is empty.
  func has(_ name: String) -> Bool { values[name] != nil }

  func isYes(_ name: String) -> Bool { values[name] == "YES" }

  func number(_ name: String) -> Int? { self[name].flatMap(PlaylistNumber.whole) }

  /// Reads a size such as "1920x1080"; nil for any other value.
  func size(_ name: String) -> (width: Int, height: Int)? {
    let parts = self[name]?.lowercased().split(separator: "x")
    guard let parts, parts.count == 2, let width = Int(parts[0]), let height = Int(parts[1]),
      (1...65_535).contains(width), (1...65_535).contains(height)
    else { return nil }
    return (width, height)
  }
}
