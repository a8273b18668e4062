/// Percent-encoding (RFC 3986 §2.1).
package enum PercentEncoding {
  /// Returns the decoded text. A text that does not decode to UTF-8 stays as it is.
  package static func decoded(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
    return URLHandle.unescaped(text).flatMap { String(validating: $0, as: UTF8.self) } ?? text
  }

  /// Encodes a file's name as one segment of a path (RFC 3986 §3.3).
  ///
  /// libcurl's own function would encode "!$&'()*+,;=:@" too. Ids on the disk have these characters
  /// unencoded.
  package static func encodedSegment(_ name: String) -> String {
    encoded(name) { byte in
      !(isLetterOrDigit(byte) || "-._~!$&'()*+,;=:@".utf8.contains(byte))
    }
  }

  /// Encodes the space, the quotation mark, angle brackets, DEL and all bytes beyond ASCII.
  /// Sequences that are encoded already stay as they are.
  static func encodedRest(of address: String) -> String {
    encoded(address) { $0 > 0x7e || $0 == 0x20 || $0 == 0x22 || $0 == 0x3c || $0 == 0x3e }
  }

  private static func encoded(_ text: String, where needsEncoding: (UInt8) -> Bool) -> String {
    guard text.utf8.contains(where: needsEncoding) else { return text }
    return text.utf8.reduce(into: "") { result, byte in
      if needsEncoding(byte) {
        let digits = String(byte, radix: 16, uppercase: true)
        result += byte < 16 ? "%0\(digits)" : "%\(digits)"
      } else {
        result.unicodeScalars.append(Unicode.Scalar(byte))
      }
    }
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    (0x61...0x7a).contains(byte | 0x20) || (0x30...0x39).contains(byte)
  }
}
