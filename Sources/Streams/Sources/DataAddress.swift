import Markup

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
      let code = text[place...].prefix(3)
      if code.first == UInt8(ascii: "%"), code.count == 3,
        let byte = UInt8(String(decoding: code.dropFirst(), as: UTF8.self), radix: 16)
      {
        decoded.append(byte)
        place = code.endIndex
      } else {
        decoded.append(text[place])
        place = text.index(after: place)
      }
    }
    return decoded
  }
}
