import Addresses

/// The variables of a playlist, by name (EXT-X-DEFINE).
package struct PlaylistVariables: Hashable, Sendable {
  private var values: [String: String] = [:]

  package init() {}

  /// Defines the variable of an EXT-X-DEFINE tag. `address` is the address of the playlist: the
  /// value of a variable can be a parameter of the address's query.
  ///
  /// - Parameter master: the variables that a media playlist can import.
  mutating func define(
    _ text: String, at address: String, importing master: PlaylistVariables
  ) throws(StreamError) {
    guard values.count < PlaylistLimits.variables else { throw .tooLarge("variables") }
    let list = try AttributeList(text, self)
    if let name = list["NAME"] {
      values[name] = list["VALUE"] ?? ""
    } else if let name = list["IMPORT"] {
      guard let value = master.values[name] else { throw Self.missing(name) }
      values[name] = value
    } else if let name = list["QUERYPARAM"] {
      guard let value = Self.parameter(name, of: address) else { throw Self.missing(name) }
      values[name] = value
    } else {
      throw .malformed("EXT-X-DEFINE without a name")
    }
  }

  /// Replaces "{$name}" by the values of variables. If no variable is defined, the text stays as it
  /// is.
  func replaced(in text: String) throws(StreamError) -> String {
    guard !values.isEmpty, text.utf8.contains(UInt8(ascii: "{")) else { return text }
    var result = ""
    var rest = text[...]
    while let start = rest.firstRange(of: "{$") {
      result += rest[..<start.lowerBound]
      guard let end = rest[start.upperBound...].firstIndex(of: "}") else {
        rest = rest[start.lowerBound...]
        break
      }
      let name = String(rest[start.upperBound..<end])
      guard let value = values[name] else { throw Self.missing(name) }
      result += value
      // A value can repeat the values of other variables, so a few lines could make a text of any
      // length.
      guard result.utf8.count <= PlaylistLimits.line else { throw .tooLarge("variable") }
      rest = rest[rest.index(after: end)...]
    }
    return result + rest
  }

  private static func missing(_ name: String) -> StreamError {
    .malformed("the playlist does not define the variable \(name.prefix(64))")
  }

  private static func parameter(_ name: String, of address: String) -> String? {
    let page = address.prefix { $0 != "#" }
    guard let question = page.firstIndex(of: "?") else { return nil }
    for pair in page[page.index(after: question)...].split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, PercentEncoding.decoded(String(parts[0])) == name else { continue }
      return PercentEncoding.decoded(String(parts[1]))
    }
    return nil
  }
}
