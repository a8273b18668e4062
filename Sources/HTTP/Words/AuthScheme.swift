/// A scheme by which feedfs sends a user name and a password (RFC 9110 §11).
enum AuthScheme: String, Hashable, Sendable {
  /// RFC 7617. The password is sent with the first request.
  case basic
  /// RFC 7616. libcurl answers the challenge of the origin.
  case digest

  /// Returns the scheme to try after a 401; nil if another request would be of no use.
  ///
  /// - Parameters:
  ///   - used: the scheme of the request that got the 401.
  ///   - names: the names of the schemes for which the 401 asks.
  static func next(after used: AuthScheme, asked names: [String]) -> AuthScheme? {
    let asked = Set(names.compactMap { AuthScheme(rawValue: $0.lowercased()) })
    switch used {
    case .basic: return asked.contains(.digest) ? .digest : nil
    case .digest: return asked == [.basic] ? .basic : nil
    }
  }

  /// Returns the names of the schemes in the values of WWW-Authenticate, in order (RFC 9110
  /// §11.6.1). A word that is no token is left out.
  static func names(in values: [String]) -> [String] {
    values.flatMap(parts).compactMap { part in
      let words = part.split(separator: " ", maxSplits: 1)
      guard let name = words.first, !name.contains("="), name.utf8.count <= 24,
        name.utf8.allSatisfy(isTokenByte)
      else { return nil }
      // A word before "=" is a parameter and no scheme. Blanks can surround the "=".
      return words.dropFirst().first?.trimmed.hasPrefix("=") ?? false ? nil : String(name)
    }
  }

  /// Divides a list at its commas, except those within quotes.
  private static func parts(of value: String) -> [String] {
    var parts: [[UInt8]] = [[]]
    var isQuoted = false
    var isEscaped = false
    for byte in value.utf8 {
      if byte == 0x2c, !isQuoted {
        parts.append([])
        continue
      }
      if byte == 0x22, !isEscaped { isQuoted.toggle() }
      isEscaped = byte == 0x5c && isQuoted && !isEscaped
      parts[parts.count - 1].append(byte)
    }
    return parts.map { String(decoding: $0, as: UTF8.self).trimmed }
  }

  private static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x2e, 0x5f: true
    default: false
    }
  }
}
