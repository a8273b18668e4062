import Markup

/// Parses the two forms that nearly all feeds write, byte by byte.
///
/// It is quicker than `MailDate` and `ISODate`. They read these two forms with the same result, and
/// all other forms too.
struct PlainDate {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var at = 0

  /// Returns the moment of "Fri, 01 May 2026 10:00:00 +0200" and of
  /// "2026-05-01T10:00:00.000Z"; nil for other forms.
  static func parse(_ text: String) -> FeedDate.Moment? {
    var text = text
    return text.withUTF8 { bytes in
      var date = PlainDate(bytes: bytes)
      return date.isInOrder ? date.ordered() : date.mail()
    }
  }

  private init(bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
  }

  /// Whether the date begins with its year.
  private var isInOrder: Bool { bytes.count > 4 && bytes[4] == Self.hyphen }

  // MARK: The forms

  private mutating func mail() -> FeedDate.Moment? {
    if bytes.count > 5, bytes[..<3].allSatisfy(Byte.isLetter), bytes[3] == UInt8(ascii: ","),
      bytes[4] == Byte.space
    {
      at = 5
    }
    guard let day = number(1...2, before: Byte.space), let month = month(),
      let year = number(4...4, before: Byte.space), let time = time(before: Byte.space),
      let zone = zone(), at == bytes.count
    else { return nil }
    return FeedDate.moment(
      year: year, month: month, day: day, clock: FeedDate.Clock(seconds: time, zone: zone))
  }

  private mutating func ordered() -> FeedDate.Moment? {
    guard let year = number(4...4, before: Self.hyphen),
      let month = number(2...2, before: Self.hyphen),
      let day = number(2...2, before: UInt8(ascii: "T")), let time = time(before: nil)
    else { return nil }
    if take(Self.fullStop) {
      let start = at
      while at < bytes.count, Byte.isDigit(bytes[at]) { at += 1 }
      guard at > start else { return nil }
    }
    guard
      let zone = take(UInt8(ascii: "Z")) ? 0 : offset(between: Byte.colon),
      at == bytes.count
    else { return nil }
    return FeedDate.moment(
      year: year, month: month, day: day, clock: FeedDate.Clock(seconds: time, zone: zone))
  }

  // MARK: Their parts

  private mutating func take(_ byte: UInt8) -> Bool {
    guard at < bytes.count, bytes[at] == byte else { return false }
    at += 1
    return true
  }

  /// Reads a number of `digits` digits, and the byte `end` behind it. If `end` is nil, reads the
  /// digits alone.
  private mutating func number(_ digits: ClosedRange<Int>, before end: UInt8?) -> Int? {
    let start = at
    var number = 0
    while at < bytes.count, at - start < digits.upperBound, Byte.isDigit(bytes[at]) {
      number = number * 10 + Int(bytes[at] - 0x30)
      at += 1
    }
    guard digits.contains(at - start), end.map({ take($0) }) ?? true else { return nil }
    return number
  }

  private mutating func time(before end: UInt8?) -> Int? {
    guard let hour = number(2...2, before: Byte.colon), hour < 24,
      let minute = number(2...2, before: Byte.colon), minute < 60,
      let second = number(2...2, before: end), second < 60
    else { return nil }
    return hour * 3600 + minute * 60 + second
  }

  private static let months = Array("janfebmaraprmayjunjulaugsepoctnovdec".utf8)

  /// Reads a month and the space behind it, such as "May ". Returns 1 for January and so on.
  private mutating func month() -> Int? {
    guard at + 3 < bytes.count, bytes[at + 3] == Byte.space else { return nil }
    for month in 0..<12 {
      let isSame = (0..<3).allSatisfy {
        Byte.lowercased(bytes[at + $0]) == Self.months[3 * month + $0]
      }
      guard isSame else { continue }
      at += 4
      return month + 1
    }
    return nil
  }

  /// Reads a zone such as "GMT", "UTC" or "+0200". Returns seconds east of Greenwich.
  private mutating func zone() -> Int? {
    let rest = bytes[at...]
    guard rest.elementsEqual("GMT".utf8) || rest.elementsEqual("UTC".utf8) else {
      return offset(between: nil)
    }
    at = bytes.count
    return 0
  }

  /// Reads a zone such as "+0200", or "+02:00" if `between` is a colon. Returns seconds east of
  /// Greenwich.
  private mutating func offset(between: UInt8?) -> Int? {
    let isWest = take(Self.hyphen)
    guard isWest || take(UInt8(ascii: "+")), let hour = number(2...2, before: between),
      hour < 15, let minute = number(2...2, before: nil), minute < 60
    else { return nil }
    let seconds = hour * 3600 + minute * 60
    return isWest ? -seconds : seconds
  }

  private static let hyphen = UInt8(ascii: "-")
  private static let fullStop = UInt8(ascii: ".")
}
