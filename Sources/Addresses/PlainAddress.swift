/// Recognises addresses that need no parser. Nearly all addresses in a feed need none.
///
/// An address is plain if nothing in it must be resolved, encoded or removed. Other addresses are
/// left to libcurl's parser.
enum PlainAddress {
  /// Returns the place after scheme, host and port of a plain absolute address; nil for any other
  /// text. Scheme and host must be in lower case.
  static func authorityEnd(of text: String) -> String.Index? {
    let utf8 = text.utf8
    let bytes = utf8.span
    guard bytes.count <= maxBytes, let host = schemeEnd(of: bytes) else { return nil }
    var end = host
    while end < bytes.count, isHost(bytes[end]) { end += 1 }
    guard isPlainHost(bytes, host..<end) else { return nil }
    if end < bytes.count, bytes[end] == colon {
      guard let port = portEnd(bytes, from: end + 1) else { return nil }
      end = port
    }
    let isWhole =
      end == bytes.count || bytes[end] == slash || bytes[end] == question || bytes[end] == hash
    guard isWhole, needsNothing(bytes, from: end) else { return nil }
    return utf8.index(utf8.startIndex, offsetBy: end)
  }

  /// Returns the place behind "http://" or "https://"; nil if the text begins with neither.
  private static func schemeEnd(of bytes: Span<UInt8>) -> Int? {
    guard bytes.count > 7, bytes[0] == 0x68, bytes[1] == 0x74, bytes[2] == 0x74, bytes[3] == 0x70
    else { return nil }
    let end = bytes[4] == 0x73 ? 5 : 4
    return bytes[end] == colon && bytes[end + 1] == slash && bytes[end + 2] == slash ? end + 3 : nil
  }

  /// Returns the absolute address of the reference `path`, which begins with "/", in a document at
  /// `base`. Returns nil if the path or the base is not plain.
  static func joined(_ path: String, to base: String) -> String? {
    let utf8 = path.utf8
    let bytes = utf8.span
    guard (1...maxBytes).contains(bytes.count), bytes[0] == slash,
      bytes.count == 1 || bytes[1] != slash,
      needsNothing(bytes, from: 0), let end = authorityEnd(of: base)
    else { return nil }
    return base[..<end] + path
  }

  /// Returns the likeness of a plain address (`WebAddress.likeness`): the address without scheme
  /// and fragment, and with "/" as its path if it has none. Returns nil if its host may be a number
  /// or has a port, or if anything must be encoded.
  static func likeness(of address: String) -> String? {
    guard let end = authorityEnd(of: address) else { return nil }
    let host = address[..<end].drop { $0 != "/" }.dropFirst(2)
    let rest = address[end...].prefix { $0 != "#" }
    guard let last = host.utf8.last, !(0x30...0x39).contains(last), !host.utf8.contains(colon),
      !rest.utf8.contains(where: { $0 == 0x22 || $0 == 0x3c || $0 == 0x3e })
    else { return nil }
    return host + (rest.utf8.first == slash ? "" : "/") + rest
  }

  /// True if nothing must be encoded, resolved or removed: all bytes are visible ASCII, no segment
  /// begins with a full stop, and no empty query precedes a fragment ("?#").
  private static func needsNothing(_ bytes: Span<UInt8>, from start: Int) -> Bool {
    var before = slash
    for place in start..<bytes.count {
      let byte = bytes[place]
      guard (0x21...0x7e).contains(byte), before != slash || byte != fullStop,
        before != question || byte != hash
      else { return false }
      before = byte
    }
    return true
  }

  /// True for an IPv4 address of four plain numbers, and for a host whose last label does not begin
  /// with a digit. Other hosts that end with a number are IPv4 addresses in other forms, which only
  /// the parser can rewrite.
  private static func isPlainHost(_ bytes: Span<UInt8>, _ host: Range<Int>) -> Bool {
    guard !host.isEmpty, isName(bytes[host.lowerBound]) else { return false }
    var label = host.upperBound
    while label > host.lowerBound, bytes[label - 1] != fullStop { label -= 1 }
    guard label < host.upperBound else { return false }
    return !isDigit(bytes[label]) || isQuad(bytes, host)
  }

  /// True if a host is four numbers up to 255 without leading zeros.
  private static func isQuad(_ bytes: Span<UInt8>, _ host: Range<Int>) -> Bool {
    var (number, digits, numbers) = (0, 0, 1)
    for place in host {
      if isDigit(bytes[place]), digits < 3, digits == 0 || number > 0 {
        number = number * 10 + Int(bytes[place] - 0x30)
        digits += 1
      } else if bytes[place] == fullStop, digits > 0, number < 256, numbers < 4 {
        (number, digits, numbers) = (0, 0, numbers + 1)
      } else {
        return false
      }
    }
    return numbers == 4 && digits > 0 && number < 256
  }

  /// Returns the end of a port from 1 to 65535 without leading zeros; nil for any other text.
  private static func portEnd(_ bytes: Span<UInt8>, from start: Int) -> Int? {
    var (port, end) = (0, start)
    while end < bytes.count, isDigit(bytes[end]), end - start < 5 {
      port = port * 10 + Int(bytes[end] - 0x30)
      end += 1
    }
    guard (1...65_535).contains(port), bytes[start] != 0x30 else { return nil }
    return end
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte)
  }

  private static func isName(_ byte: UInt8) -> Bool {
    (0x61...0x7a).contains(byte) || isDigit(byte)
  }

  private static func isHost(_ byte: UInt8) -> Bool {
    isName(byte) || byte == 0x2d || byte == fullStop
  }

  /// The limit for a plain address. Longer addresses are left to libcurl's parser, which has its
  /// own limit.
  private static let maxBytes = 8 << 10  // bytes

  private static let fullStop = UInt8(ascii: ".")
  private static let slash = UInt8(ascii: "/")
  private static let question = UInt8(ascii: "?")
  private static let hash = UInt8(ascii: "#")
  private static let colon = UInt8(ascii: ":")
}
