import Markup

/// The key in the answer of a key server.
package enum KeyText {
  /// Returns the 16 bytes of a key. Servers send them as they are, with the end of a line behind
  /// them, or written as hexadecimal digits or base64.
  ///
  /// - Throws: `malformed` if the answer is none of these.
  package static func key(in answer: [UInt8]) throws(StreamError) -> [UInt8] {
    let size = AES128.block
    if answer.count == size { return answer }
    let written = answer.prefix { $0 != 0x0A && $0 != 0x0D }
    let end = answer.dropFirst(size)
    if end.count <= 2, !end.isEmpty, end.allSatisfy({ $0 == 0x0A || $0 == 0x0D }) {
      return Array(answer.prefix(size))
    }
    let text = String(decoding: written, as: UTF8.self)
    let digits = text.lowercased().hasPrefix("0x") ? text.dropFirst(2) : text[...]
    if digits.utf8.count == 2 * size, let number = UInt128(digits, radix: 16) {
      return SegmentCipher.bytes(of: number)
    }
    // 16 bytes are 22 letters, of which the last has four bits that are zero. Words of an answer that
    // refuses the key hardly ever have this form.
    let letters = text.hasSuffix("==") ? text.dropLast(2) : text[...]
    if letters.utf8.count == 22, !letters.contains("="), "AQgw".contains(letters.last ?? " "),
      !letters.contains(where: \.isWhitespace), let bytes = Base64.bytes(letters.utf8)
    {
      return bytes
    }
    throw .malformed("a key of \(answer.count) bytes")
  }
}
