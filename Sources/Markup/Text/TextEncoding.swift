import Glibc

/// Converts the bytes of a document to UTF-8.
///
/// A byte order mark decides on the encoding. Without such a mark, the document's own declaration
/// decides, if it fits the bytes. Otherwise the text is read as UTF-8, and each invalid byte as
/// windows-1252.
package enum TextEncoding {
  package struct Decoded {
    package var utf8: [UInt8]
    /// A sentence about the guess that had to be made; nil if nothing was guessed.
    package var note: String?

    package var notes: [String] { note.map { [$0] } ?? [] }
  }

  package static func decode(_ bytes: [UInt8]) -> Decoded {
    if let marked = decodeMarked(bytes) { return Decoded(utf8: marked) }
    guard let name = declared(in: bytes) else { return decodeUTF8(bytes) }
    if name == "iso-8859-1" || name == "latin1" || name == "windows-1252" || name == "cp1252" {
      // ISO-8859-1 is read as windows-1252, as in HTML: documents that declare the former mean the
      // latter, which contains it.
      return Decoded(utf8: decodeWindows1252(bytes))
    }
    if let charset = charsets[name], let utf8 = utf8(from: charset, bytes) {
      return Decoded(utf8: utf8)
    }
    var decoded = decodeUTF8(bytes)
    if !["utf-8", "utf8", "us-ascii", "ascii"].contains(name), decoded.note == nil {
      decoded.note = "the declared encoding is not that of the text, which was read as UTF-8"
    }
    return decoded
  }

  // MARK: - Byte order mark and declaration

  private static func decodeMarked(_ bytes: [UInt8]) -> [UInt8]? {
    switch (bytes.first, bytes.dropFirst().first) {
    case (0xEF, 0xBB) where bytes.dropFirst(2).first == 0xBF:
      return decodeUTF8(Array(bytes.dropFirst(3))).utf8
    case (0xFF, 0xFE):
      if bytes.count >= 4, bytes[2] == 0, bytes[3] == 0 {
        return decodeUTF32(bytes.dropFirst(4), littleEndian: true)
      }
      return decodeUTF16(bytes.dropFirst(2), littleEndian: true)
    case (0xFE, 0xFF):
      return decodeUTF16(bytes.dropFirst(2), littleEndian: false)
    case (0, 0) where bytes.starts(with: [0, 0, 0xFE, 0xFF]):
      return decodeUTF32(bytes.dropFirst(4), littleEndian: false)
    case (0x3C, 0) where bytes.starts(with: [0x3C, 0, 0, 0]):  // "<" without a mark
      return decodeUTF32(bytes[...], littleEndian: true)
    case (0, 0) where bytes.starts(with: [0, 0, 0, 0x3C]):
      return decodeUTF32(bytes[...], littleEndian: false)
    case (0x3C, 0):
      return decodeUTF16(bytes[...], littleEndian: true)
    case (0, 0x3C):
      return decodeUTF16(bytes[...], littleEndian: false)
    default:
      return nil
    }
  }

  /// Returns the encoding that the XML declaration names, in lower case.
  private static func declared(in bytes: [UInt8]) -> String? {
    let head = String(decoding: bytes.prefix(1024), as: UTF8.self)
    guard let start = head.firstRange(of: "<?xml"),
      let declaration = head[start.upperBound...].split(separator: "?>").first,
      let attribute = declaration.firstRange(of: "encoding")
    else { return nil }
    let value = declaration[attribute.upperBound...].drop { $0.isWhitespace || $0 == "=" }
    guard let quote = value.first, quote == "\"" || quote == "'" else { return nil }
    return value.dropFirst().prefix { $0 != quote }.lowercased().trimmed.nonEmpty
  }

  // MARK: - UTF-8 and windows-1252

  private static func decodeUTF8(_ bytes: [UInt8]) -> Decoded {
    if bytes.isValidUTF8 { return Decoded(utf8: bytes) }
    var utf8: [UInt8] = []
    utf8.reserveCapacity(bytes.count + bytes.count / 8)
    var at = 0
    while at < bytes.count {
      let length = lengthOfCharacter(in: bytes, at: at)
      if length > 0 {
        utf8 += bytes[at..<at + length]
      } else {
        utf8 += windows1252(bytes[at])
      }
      at += max(length, 1)
    }
    return Decoded(
      utf8: utf8, note: "the text is not valid UTF-8: some bytes were read as windows-1252")
  }

  /// Returns the length of the well-formed UTF-8 sequence at `start` (Unicode 3.9, table 3-7); 0 if
  /// there is none.
  private static func lengthOfCharacter(in bytes: [UInt8], at start: Int) -> Int {
    func isIn(_ range: ClosedRange<UInt8>, _ offset: Int) -> Bool {
      start + offset < bytes.count && range.contains(bytes[start + offset])
    }
    let tail: ClosedRange<UInt8> = 0x80...0xBF
    switch bytes[start] {
    case 0x00...0x7F: return 1
    case 0xC2...0xDF: return isIn(tail, 1) ? 2 : 0
    case 0xE0: return isIn(0xA0...0xBF, 1) && isIn(tail, 2) ? 3 : 0
    case 0xED: return isIn(0x80...0x9F, 1) && isIn(tail, 2) ? 3 : 0
    case 0xE1...0xEF: return isIn(tail, 1) && isIn(tail, 2) ? 3 : 0
    case 0xF0: return isIn(0x90...0xBF, 1) && isIn(tail, 2) && isIn(tail, 3) ? 4 : 0
    case 0xF1...0xF3: return isIn(tail, 1) && isIn(tail, 2) && isIn(tail, 3) ? 4 : 0
    case 0xF4: return isIn(0x80...0x8F, 1) && isIn(tail, 2) && isIn(tail, 3) ? 4 : 0
    default: return 0
    }
  }

  private static func decodeWindows1252(_ bytes: [UInt8]) -> [UInt8] {
    var utf8: [UInt8] = []
    utf8.reserveCapacity(bytes.count + bytes.count / 8)
    for byte in bytes {
      if byte < 0x80 { utf8.append(byte) } else { utf8 += windows1252(byte) }
    }
    return utf8
  }

  private static func windows1252(_ byte: UInt8) -> String.UTF8View {
    String(scalar(windows1252: byte)).utf8
  }

  /// Returns the character that a byte of windows-1252 stands for. Each of the five undefined bytes
  /// gives the control character with the same number.
  static func scalar(windows1252 byte: UInt8) -> Unicode.Scalar {
    guard (0x80...0x9F).contains(byte) else { return Unicode.Scalar(byte) }
    return highControls[Int(byte) - 0x80]
  }

  private static let highControls = Array(
    ("€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}" + "\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ").unicodeScalars)

  // MARK: - Wide characters

  private static func decodeUTF16(_ bytes: ArraySlice<UInt8>, littleEndian: Bool) -> [UInt8] {
    let low = littleEndian ? 0 : 1
    let units = stride(from: bytes.startIndex, to: bytes.endIndex - 1, by: 2).map {
      UInt16(bytes[$0 + low]) | UInt16(bytes[$0 + 1 - low]) << 8
    }
    return Array(String(decoding: units, as: UTF16.self).utf8)
  }

  private static func decodeUTF32(_ bytes: ArraySlice<UInt8>, littleEndian: Bool) -> [UInt8] {
    let starts = stride(from: bytes.startIndex, to: bytes.endIndex - 3, by: 4)
    let units = starts.map { start -> UInt32 in
      let unit = bytes[start..<start + 4]
      let digits = littleEndian ? Array(unit.reversed()) : Array(unit)
      return digits.reduce(0) { $0 << 8 | UInt32($1) }
    }
    return Array(String(decoding: units, as: UTF32.self).utf8)
  }

  // MARK: - Other character sets

  /// The names of encodings in lower case, each with a character set of iconv that contains the
  /// encoding. No other name reaches iconv.
  private static let charsets: [String: String] = {
    var charsets = [
      "shift_jis": "CP932", "shift-jis": "CP932", "sjis": "CP932", "x-sjis": "CP932",
      "windows-31j": "CP932", "euc-jp": "EUC-JP", "x-euc-jp": "EUC-JP",
      "iso-2022-jp": "ISO-2022-JP", "euc-kr": "CP949", "ks_c_5601-1987": "CP949",
      "cp949": "CP949", "gb2312": "GB18030", "gbk": "GB18030", "gb18030": "GB18030",
      "x-gbk": "GB18030", "big5": "BIG5-HKSCS", "big5-hkscs": "BIG5-HKSCS", "koi8-r": "KOI8-R",
      "koi8-u": "KOI8-U", "macintosh": "MACINTOSH", "tis-620": "CP874", "windows-874": "CP874",
      "ibm866": "IBM866", "cp866": "IBM866",
    ]
    for number in 1250...1258 where number != 1252 {
      charsets["windows-\(number)"] = "CP\(number)"
      charsets["cp\(number)"] = "CP\(number)"
    }
    for part in 2...16 where part != 12 { charsets["iso-8859-\(part)"] = "ISO-8859-\(part)" }
    return charsets
  }()

  /// Converts `bytes` from a character set of iconv; nil if a byte has no meaning in this character
  /// set.
  private static func utf8(from charset: String, _ bytes: [UInt8]) -> [UInt8]? {
    let converter = iconv_open("UTF-8", charset)
    guard converter != iconv_t(bitPattern: -1) else { return nil }
    defer { iconv_close(converter) }
    var source = bytes.map { CChar(bitPattern: $0) }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count * 3 / 2)
    var piece = [CChar](repeating: 0, count: 64 << 10)
    let isWhole = source.withUnsafeMutableBufferPointer { source in
      var input = source.baseAddress
      var left = source.count
      while left > 0 {
        let answer = piece.withUnsafeMutableBufferPointer { piece in
          var output = piece.baseAddress
          var room = piece.count
          let answer = iconv(converter, &input, &left, &output, &room)
          result += piece.prefix(piece.count - room).lazy.map { UInt8(bitPattern: $0) }
          return answer
        }
        if answer == Int(bitPattern: UInt.max), errno != E2BIG { return false }
      }
      return true
    }
    return isWhole ? result : nil
  }
}

extension [UInt8] {
  /// Whether these bytes are valid UTF-8.
  fileprivate var isValidUTF8: Bool {
    (try? UTF8Span(validating: span)) != nil
  }
}
