/// A reference to a resource, split into its parts as in RFC 3986 appendix B.
package struct URLReference: Hashable {
  var scheme: String?
  var authority: String?
  var path = ""
  package var query: String?
  var fragment: String?

  package init(_ text: String) {
    var rest = text[...]
    if let hash = rest.utf8.firstIndex(of: Byte.hash) {
      fragment = String(rest[rest.index(after: hash)...])
      rest = rest[..<hash]
    }
    if let mark = rest.utf8.firstIndex(of: UInt8(ascii: "?")) {
      query = String(rest[rest.index(after: mark)...])
      rest = rest[..<mark]
    }
    if let colon = rest.utf8.firstIndex(of: Byte.colon), Self.isScheme(rest[..<colon]) {
      scheme = rest[..<colon].lowercased()
      rest = rest[rest.index(after: colon)...]
    }
    if rest.hasPrefix("//") {
      rest = rest.dropFirst(2)
      let end = rest.utf8.firstIndex(of: Byte.slash) ?? rest.endIndex
      authority = String(rest[..<end])
      rest = rest[end...]
    }
    path = String(rest)
  }

  // RFC 3986 §5.3
  package var text: String {
    var text = ""
    if let scheme { text += scheme + ":" }
    if let authority { text += "//" + authority }
    return text + path + ending
  }

  /// Query and fragment, with their "?" and "#".
  var ending: String {
    (query.map { "?" + $0 } ?? "") + (fragment.map { "#" + $0 } ?? "")
  }

  /// Encodes a file's name as one segment of a path (RFC 3986 §3.3).
  static func encodedSegment(_ name: String) -> String {
    name.utf8.reduce(into: "") { result, byte in
      if Byte.isLetterOrDigit(byte) || "-._~!$&'()*+,;=:@".utf8.contains(byte) {
        result.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        let digits = String(byte, radix: 16, uppercase: true)
        result += byte < 16 ? "%0\(digits)" : "%\(digits)"
      }
    }
  }

  /// Returns the address of `reference` in a document at the address `base`.
  ///
  /// An empty base leaves `reference` as it is, except for its white space.
  static func resolve(_ reference: String, against base: String) -> String {
    let cleaned = clean(reference)
    guard !base.isEmpty else { return cleaned }
    return URLReference(cleaned).resolved(against: URLReference(base)).text
  }

  // RFC 3986 §5.2.2
  func resolved(against base: URLReference) -> URLReference {
    var target = self
    if scheme != nil {
      target.path = Self.withoutDots(path, isAbsolute: authority != nil)
      return target
    }
    target.scheme = base.scheme
    if authority != nil {
      target.path = Self.withoutDots(path, isAbsolute: true)
      return target
    }
    target.authority = base.authority
    if path.isEmpty {
      target.path = base.path
      target.query = query ?? base.query
    } else if path.hasPrefix("/") {
      target.path = Self.withoutDots(path, isAbsolute: true)
    } else {
      target.path = Self.withoutDots(merged(with: base), isAbsolute: base.authority != nil)
    }
    return target
  }

  // RFC 3986 §5.2.3
  private func merged(with base: URLReference) -> String {
    if base.authority != nil, base.path.isEmpty { return "/" + path }
    guard let slash = base.path.utf8.lastIndex(of: Byte.slash) else { return path }
    return base.path[...slash] + path
  }

  /// Removes "." and ".." from a path (RFC 3986 §5.2.4).
  private static func withoutDots(_ path: String, isAbsolute: Bool) -> String {
    guard isAbsolute || path.hasPrefix("/") else { return path }
    if path.hasPrefix("/"), !path.utf8.contains(UInt8(ascii: ".")) { return path }
    var kept: [Substring] = []
    var segments = path.split(separator: "/", omittingEmptySubsequences: false)[...]
    if segments.first == "" { segments = segments.dropFirst() }
    for (index, segment) in zip(segments.indices, segments) {
      let isLast = index == segments.endIndex - 1
      switch segment {
      case ".":
        if isLast { kept.append("") }
      case "..":
        _ = kept.popLast()
        if isLast { kept.append("") }
      default:
        kept.append(segment)
      }
    }
    return path.isEmpty ? "" : "/" + kept.joined(separator: "/")
  }

  // RFC 3986 §3.1
  private static func isScheme(_ text: Substring) -> Bool {
    guard let first = text.utf8.first, Byte.isLetter(first) else { return false }
    return text.utf8.allSatisfy { Byte.isLetterOrDigit($0) || "+-.".utf8.contains($0) }
  }

  /// Removes white space at the ends, line breaks and control characters; encodes inner spaces.
  private static func clean(_ text: String) -> String {
    let trimmed = text.trimmed
    guard trimmed.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }) else { return trimmed }
    var cleaned = ""
    for scalar in trimmed.unicodeScalars {
      if scalar == " " {
        cleaned += "%20"
      } else if scalar.value > 0x20, scalar.value != 0x7F {
        cleaned.unicodeScalars.append(scalar)
      }
    }
    return cleaned
  }
}
