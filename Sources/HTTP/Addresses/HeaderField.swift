/// A header field that the user or a resolver adds to the requests to one origin. Its value is
/// often a secret.
package struct HeaderField: Hashable, Sendable {
  let name: String
  let value: String

  /// - Throws: `badHeader` if the text is no field by the grammar (RFC 9110 §5), because a line end
  ///   or NUL could begin another field. `badHeader` is also thrown for a field that only feedfs
  ///   itself sets. The error never contains the value.
  package init(name: String, value: String) throws(HTTPError) {
    guard (1...64).contains(name.utf8.count), name.utf8.allSatisfy(Self.isTokenByte) else {
      throw .badHeader("\"\(name.tamed)\" cannot be the name of a header field; correct it")
    }
    guard !Self.isOurs(name.lowercased()) else {
      throw .badHeader("feedfs sets the header field \(name) itself; take it out")
    }
    guard (1...8192).contains(value.utf8.count), value.trimmed == value,
      value.utf8.allSatisfy({ (0x20...0x7e).contains($0) || $0 == 0x09 })
    else {
      throw .badHeader("the value of \(name) must be one line of printable ASCII")
    }
    self.name = name
    self.value = value
  }

  var line: String { "\(name): \(value)" }

  /// Returns `fields`, and those fields of `others` whose names are not among the names of
  /// `fields`.
  static func merged(_ fields: [HeaderField], over others: [HeaderField]) -> [HeaderField] {
    let names = Set(fields.map { $0.name.lowercased() })
    return fields + others.filter { !names.contains($0.name.lowercased()) }
  }

  /// Whether only feedfs itself sets the field `name`. Such fields frame a message, route it, or
  /// select its bytes and version.
  private static func isOurs(_ name: String) -> Bool {
    let ours: Set = [
      "host", "range", "accept-encoding", "content-length", "content-encoding",
      "transfer-encoding", "connection", "keep-alive", "upgrade", "te", "trailer", "expect",
    ]
    return ours.contains(name) || name.hasPrefix("if-") || name.hasPrefix("proxy-")
  }

  /// True for the bytes of a token (RFC 9110 §5.6.2).
  private static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
    default: Array("!#$%&'*+-.^_`|~".utf8).contains(byte)
    }
  }
}
