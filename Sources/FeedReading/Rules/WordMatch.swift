import Markup

/// Words to look for in a text, in upper or lower case: `keynote`, `live stream`, `*news*`.
///
/// Only whole words match, so `art` does not match "party". An asterisk before or behind the words
/// stands for any beginning or end of a word. In scripts without spaces between words, such as
/// Chinese, the words match at any place.
struct WordMatch: Hashable, Sendable {
  private let letters: FoldedText
  private let needsStart: Bool
  private let needsEnd: Bool

  /// Parses `text`; nil if it has no words.
  init?(_ text: String) {
    var words = text[...]
    let isOpenStart = words.hasPrefix("*")
    if isOpenStart { words.removeFirst() }
    let isOpenEnd = words.hasSuffix("*")
    if isOpenEnd { words.removeLast() }
    letters = FoldedText(PlainText.collapsed(String(words)))
    guard let first = letters.scalars.first, let last = letters.scalars.last else { return nil }
    needsStart = !isOpenStart && first.joins
    needsEnd = !isOpenEnd && last.joins
  }

  /// Whether `text` contains the words.
  func matches(_ text: FoldedText) -> Bool {
    let scalars = text.scalars
    return text.places(of: letters).contains { place in
      !(needsStart && place.lowerBound > 0 && scalars[place.lowerBound - 1].joins)
        && !(needsEnd && place.upperBound < scalars.count && scalars[place.upperBound].joins)
    }
  }
}

extension Unicode.Scalar {
  /// Whether the character can be part of a word, in a script that writes spaces between words.
  fileprivate var joins: Bool {
    if isASCII { return Byte.isLetterOrDigit(UInt8(value)) }
    switch value {
    // Thai, Lao, Myanmar, Khmer; Han, kana, Hangul and their like.
    case 0x0E00...0x0EFF, 0x1000...0x109F, 0x1780...0x17FF, 0x2E80...0xA4CF, 0xAC00...0xD7FF,
      0xF900...0xFAFF, 0xFF66...0xFFDC, 0x20000...0x3FFFF:
      return false
    default:
      return properties.isAlphabetic || properties.numericType != nil
        || properties.generalCategory == .nonspacingMark
    }
  }
}
