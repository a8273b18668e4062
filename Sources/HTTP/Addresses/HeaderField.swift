/// A header field that the user sends along with requests to one origin, often a secret.
package struct HeaderField: Hashable, Sendable {
  let name: String
  let value: String

  /// - Throws: `badHeader` for what is no field by the grammar (RFC 9110 §5), so that no line end or
  ///   NUL begins another one, and for what only feedfs can say of its own request. The value is never
  ///   part of the error.
  package init(name: String, value: String) throws(HTTPError) {
    guard (1...64).contains(name.utf8.count), name.utf8.allSatisfy(Self.isTokenByte) else {
      throw .badHeader("\"\(name.tamed)\" is no name of a header field")
    }
    guard !Self.isOurs(name.lowercased()) else {
      throw .badHeader("the header field \(name) is set by feedfs itself")
    }
    guard (1...8192).contains(value.utf8.count), value.trimmed == value,
      value.utf8.allSatisfy({ (0x20...0x7e).contains($0) || $0 == 0x09 })
    else {
      throw .badHeader("the value of \(name) has to be one line of printable ASCII")
    }
    self.name = name
    self.value = value
  }

  var line: String { "\(name): \(value)" }

  /// What frames a message, leads it, or says which bytes of which version are asked for.
  private static func isOurs(_ name: String) -> Bool {
    let ours: Set = [
      "host", "range", "accept-encoding", "content-length", "content-encoding",
      "transfer-encoding", "connection", "keep-alive", "upgrade", "te", "trailer", "expect",
    ]
    return ours.contains(name) || name.hasPrefix("if-") || name.hasPrefix("proxy-")
  }

  /// RFC 9110 §5.6.2.
  private static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
    default: Array("!#$%&'*+-.^_`|~".utf8).contains(byte)
    }
  }
}
