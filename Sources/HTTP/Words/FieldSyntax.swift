import CCurl

/// Numbers as HTTP writes them: only ASCII digits, without a sign or a space.
enum Decimal {
  /// Returns nil for anything but digits, and for numbers that do not fit an `Int`.
  static func parse(_ text: some StringProtocol) -> Int? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(text)
  }
}

/// The syntax of entity tags (RFC 9110 §8.8.3).
enum EntityTag {
  /// Whether `text` is a strong entity tag: quoted, of visible ASCII without quotes inside.
  ///
  /// The standard also allows bytes above 0x7f. feedfs refuses such a tag: its bytes would change
  /// when it becomes text, so two different tags could become equal.
  static func isStrong(_ text: String) -> Bool {
    let bytes = text.utf8
    guard (2...256).contains(bytes.count), bytes.first == 0x22, bytes.last == 0x22 else {
      return false
    }
    return bytes.dropFirst().dropLast().allSatisfy { $0 == 0x21 || (0x23...0x7e).contains($0) }
  }
}

/// Dates as HTTP writes them (RFC 9110 §5.6.7), read by libcurl.
enum HTTPDate {
  /// Returns seconds since 1970; nil for text that is no date.
  static func seconds(_ text: String) -> Int? {
    let seconds = ccurl_getdate(text)
    return seconds < 0 ? nil : Int(seconds)
  }

  /// Whether `text` is a date that can go into a header line as the origin sent it.
  static func isValid(_ text: String) -> Bool {
    text.utf8.count <= 64 && text.utf8.allSatisfy { (0x20...0x7e).contains($0) }
      && seconds(text) != nil
  }
}

extension StringProtocol {
  /// The text without HTTP's white space around it.
  var trimmed: String {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }
    let text = Substring(self).utf8.drop(while: isSpace)
    let blanks = text.reversed().prefix(while: isSpace).count
    return String(Substring(text.dropLast(blanks)))
  }

  /// The text made fit for one line of output. It is cut to 60 bytes, and each byte that is not
  /// printable ASCII becomes "?".
  var tamed: String {
    let visible = utf8.prefix(60).map { (0x20...0x7e).contains($0) ? $0 : 0x3f }
    return String(decoding: visible, as: UTF8.self)
  }
}
