/// Recognises addresses that need no parser. Nearly all addresses in a feed are like that.
///
/// It proves that an address needs nothing resolved, encoded or removed. It takes no address apart.
enum PlainAddress {
  /// Returns the end of scheme, host and port of an absolute address in lower case up to its path;
  /// nil for any other text.
  static func authorityEnd(of text: String) -> String.Index? {
    let utf8 = text.utf8
    let isSecure = utf8.starts(with: "https://".utf8)
    guard isSecure || utf8.starts(with: "http://".utf8) else { return nil }
    let start = utf8.index(utf8.startIndex, offsetBy: isSecure ? 8 : 7)
    let end = utf8[start...].firstIndex { $0 == slash || $0 == question || $0 == hash }
    let host = utf8[start..<(end ?? utf8.endIndex)]
    guard let first = host.first, isName(first),
      host.allSatisfy({ isName($0) || $0 == 0x2d || $0 == 0x2e || $0 == colon }),
      needsNothing(utf8[host.endIndex...])
    else { return nil }
    return host.endIndex
  }

  /// Returns the address of "/path" in a document at `base`; nil if the path or the base is not
  /// plain.
  static func joined(_ path: String, to base: String) -> String? {
    let utf8 = path.utf8
    guard utf8.first == slash, utf8.dropFirst().first != slash, needsNothing(utf8[...]),
      let end = authorityEnd(of: base)
    else { return nil }
    return base[..<end] + path
  }

  /// Returns an address without scheme and fragment, and with a path; nil if its host may be a
  /// number or has a port, or if anything is to be encoded.
  static func likeness(of address: String) -> String? {
    guard let end = authorityEnd(of: address) else { return nil }
    let host = address[..<end].drop { $0 != "/" }.dropFirst(2)
    let rest = address[end...].prefix { $0 != "#" }
    guard let last = host.utf8.last, !(0x30...0x39).contains(last), !host.utf8.contains(colon),
      !rest.utf8.contains(where: { $0 == 0x22 || $0 == 0x3c || $0 == 0x3e })
    else { return nil }
    return host + (rest.utf8.first == slash ? "" : "/") + rest
  }

  /// True for visible ASCII without a segment that begins with a full stop.
  private static func needsNothing(_ bytes: Substring.UTF8View) -> Bool {
    var before = slash
    for byte in bytes {
      guard (0x21...0x7e).contains(byte), before != slash || byte != 0x2e else { return false }
      before = byte
    }
    return true
  }

  private static func isName(_ byte: UInt8) -> Bool {
    (0x61...0x7a).contains(byte) || (0x30...0x39).contains(byte)
  }

  private static let slash = UInt8(ascii: "/")
  private static let question = UInt8(ascii: "?")
  private static let hash = UInt8(ascii: "#")
  private static let colon = UInt8(ascii: ":")
}
