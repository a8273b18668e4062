/// Decodes base64 (RFC 4648 §4), with or without its padding: texts of feeds in Atom 0.3, and
/// keys and heads of streams.
package enum Base64 {
  /// Returns the text that `encoded` stands for; nil if `encoded` is no base64.
  package static func text(_ encoded: String) -> String? {
    bytes(encoded.utf8).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Returns the bytes that `encoded` stands for; nil if `encoded` is no base64. White space and
  /// the sign for padding do not count.
  package static func bytes(_ encoded: some Sequence<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    var bits = 0
    var count = 0
    for byte in encoded where !Byte.isSpace(byte) && byte != Byte.equals {
      guard let value = value(byte) else { return nil }
      bits = bits << 6 | value
      count += 6
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(bits >> count & 0xFF))
        bits &= (1 << count) - 1
      }
    }
    return bytes
  }

  private static func value(_ byte: UInt8) -> Int? {
    switch byte {
    case 0x41...0x5A: Int(byte) - 0x41
    case 0x61...0x7A: Int(byte) - 0x61 + 26
    case 0x30...0x39: Int(byte) - 0x30 + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
