/// Decodes `%XX` (RFC 3986 §2.1); a `%` without two hex digits stays.
func percentDecoded(_ text: some StringProtocol) -> String {
  var decoded: [UInt8] = []
  var rest = Array(text.utf8)[...]
  while let byte = rest.popFirst() {
    let digits = rest.prefix(2)
    if byte == UInt8(ascii: "%"), digits.count == 2, !digits.contains(UInt8(ascii: "+")),
      let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
    {
      decoded.append(value)
      rest = rest.dropFirst(2)
    } else {
      decoded.append(byte)
    }
  }
  return String(decoding: decoded, as: UTF8.self)
}

/// Encodes every byte except letters, digits and `-._~/` as `%XX`.
func percentEncoded(_ text: String) -> String {
  let hex = Array("0123456789ABCDEF".utf8)
  var encoded: [UInt8] = []
  for byte in text.utf8 {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "/"):
      encoded.append(byte)
    default:
      encoded += [UInt8(ascii: "%"), hex[Int(byte >> 4)], hex[Int(byte & 15)]]
    }
  }
  return String(decoding: encoded, as: UTF8.self)
}
