import Glibc

extension XMLReader {
  /// `bytes` from a character set that iconv knows; nil where a byte has no meaning in it.
  static func utf8(from charset: String, _ bytes: [UInt8]) -> [UInt8]? {
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
  /// Whether these bytes are UTF-8 as they stand.
  var isValidUTF8: Bool {
    (try? UTF8Span(validating: span)) != nil
  }
}
