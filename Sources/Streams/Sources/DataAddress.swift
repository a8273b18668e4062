/// The contents of a `data:` address (RFC 2397): a key, a head or a playlist that lies in the document
/// that names it.
package enum DataAddress {
  private static let scheme = "data:"
  /// The reason why a segment cannot be one: its bytes are fetched by ranges.
  static let obstacle = StreamError.unsupported("a segment has an address that begins with data:")

  package static func isOne(_ address: String) -> Bool {
    address.utf8.prefix(scheme.utf8.count).elementsEqual(scheme.utf8) { byte, wanted in
      byte == wanted || byte == wanted - 0x20 && wanted != UInt8(ascii: ":")
    }
  }

  /// Returns the bytes that the address contains.
  ///
  /// - Throws: `malformed` for a wrong form; `tooLarge` for more than `limit` bytes.
  package static func bytes(_ address: String, limit: Int) throws(StreamError) -> [UInt8] {
    guard isOne(address), let comma = address.utf8.firstIndex(of: UInt8(ascii: ",")) else {
      throw .malformed("a data: address without a comma")
    }
    let head = address[..<comma]
    let plain = percentDecoded(address[comma...].utf8.dropFirst())
    let isBase64 = head.lowercased().split(separator: ";").dropFirst().last == "base64"
    guard let bytes = isBase64 ? Base64.bytes(plain) : plain else {
      throw .malformed("a data: address with wrong base64")
    }
    guard bytes.count <= limit else { throw .tooLarge("data: address") }
    return bytes
  }

  private static func percentDecoded(_ text: some Collection<UInt8>) -> [UInt8] {
    var decoded: [UInt8] = []
    decoded.reserveCapacity(text.count)
    var place = text.startIndex
    while place < text.endIndex {
      let rest = text[place...].prefix(3)
      if rest.first == UInt8(ascii: "%"), rest.count == 3,
        let byte = UInt8(String(decoding: rest.dropFirst(), as: UTF8.self), radix: 16)
      {
        decoded.append(byte)
        place = rest.endIndex
      } else {
        decoded.append(text[place])
        place = text.index(after: place)
      }
    }
    return decoded
  }
}

/// Base64 (RFC 4648 §4 and §5), with or without its padding.
enum Base64 {
  /// Returns the bytes that a text stands for; nil if another character occurs in it. White space
  /// does not count.
  static func bytes(_ text: some Sequence<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    var (bits, count) = (0, 0)
    var isPadded = false
    for byte in text where ![0x09, 0x0A, 0x0D, 0x20].contains(byte) {
      if byte == UInt8(ascii: "=") {
        isPadded = true
        continue
      }
      guard !isPadded, let value = value(of: byte) else { return nil }
      bits = (bits << 6 | value) & 0xFFFF
      count += 6
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> count))
      }
    }
    return bytes
  }

  private static func value(of byte: UInt8) -> Int? {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int(byte) - 0x41
    case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(byte) - 0x61 + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(byte) - 0x30 + 52
    case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
    case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
    default: nil
    }
  }
}
