import Markup

/// Decodes base64. Feeds in Atom 0.3 can have texts in base64.
enum Base64 {
  /// Returns the text that `encoded` stands for; nil if `encoded` is no base64 (RFC 4648 §4).
  static func text(_ encoded: String) -> String? {
    var bytes: [UInt8] = []
    var bits = 0
    var count = 0
    for byte in encoded.utf8 where !Byte.isSpace(byte) && byte != Byte.equals {
      guard let value = value(byte) else { return nil }
      bits = bits << 6 | value
      count += 6
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(bits >> count & 0xFF))
        bits &= (1 << count) - 1
      }
    }
    return String(decoding: bytes, as: UTF8.self)
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
