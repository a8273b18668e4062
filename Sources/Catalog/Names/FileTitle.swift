@_spi(_Unicode) import Swift

/// Turns a text that strangers wrote into the name of a file or folder.
///
/// The name is in NFC. It has no "/", no control characters, no marks of text direction, no line
/// breaks and no unassigned code points. No two spaces follow each other. The name neither begins
/// nor ends with a space or a full stop. It is never empty, and never looks like an option.
enum FileTitle {
  /// A character that looks like a slash and does not separate paths.
  private static let slash: Unicode.Scalar = "\u{29F8}"

  /// - Parameter limit: the limit in bytes of UTF-8. A longer text is cut between two characters,
  ///   or inside the first character if this alone exceeds the limit.
  static func of(_ text: String, limit: Int) -> String {
    if text.utf8.count <= limit, isName(text) { return text }
    let name = trimmed(cut(cleaned(text), to: limit))
    return name.isEmpty ? "untitled" : name
  }

  /// Whether a text is ASCII and can be a name unchanged. The check saves time, because nearly all
  /// titles are like that.
  private static func isName(_ text: String) -> Bool {
    let bytes = text.utf8.span
    guard bytes.count > 0, bytes[0] != fullStop, bytes[0] != UInt8(ascii: "-"),
      bytes[bytes.count - 1] != fullStop, bytes[bytes.count - 1] != blank
    else { return false }
    var before = blank
    for place in 0..<bytes.count {
      let byte = bytes[place]
      guard (0x20...0x7E).contains(byte), byte != UInt8(ascii: "/"),
        byte != blank || before != blank
      else { return false }
      before = byte
    }
    return true
  }

  private static let blank = UInt8(ascii: " ")
  private static let fullStop = UInt8(ascii: ".")

  private static func cleaned(_ text: String) -> String {
    // Only the beginning is read, because titles of megabytes exist.
    var head = Scalars()
    for scalar in text.unicodeScalars.prefix(4096) { head.append(replaced(scalar)) }
    var result = Scalars()
    var isGap = false
    for scalar in composed(String(head)) {
      if scalar == " " {
        isGap = !result.isEmpty
        continue
      }
      // A leading full stop hides a file. A leading minus turns its name into an option.
      if result.isEmpty, scalar == "." { continue }
      if isGap { result.append(" ") }
      isGap = false
      result.append(result.isEmpty && scalar == "-" ? "_" : scalar)
    }
    return String(result)
  }

  private typealias Scalars = String.UnicodeScalarView

  private static func replaced(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    if scalar == "/" { return slash }
    guard !scalar.isASCII else {
      return scalar.value <= 0x20 || scalar.value == 0x7F ? " " : scalar
    }
    switch scalar.value {
    case 0x061C, 0x200E...0x200F, 0x202A...0x202E, 0x2066...0x2069: return " "
    default: break
    }
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .spaceSeparator, .surrogate, .unassigned:
      return " "
    default:
      return scalar
    }
  }

  private static func composed(_ text: String) -> Scalars {
    var scalars = Scalars()
    for scalar in text._nfc { scalars.append(scalar) }
    return scalars
  }

  private static func cut(_ text: String, to limit: Int) -> String {
    guard text.utf8.count > limit else { return text }
    var end = text.startIndex
    var length = 0
    for character in text {
      length += character.utf8.count
      guard length <= limit else { break }
      end = text.index(after: end)
    }
    if end > text.startIndex { return String(text[..<end]) }
    var scalars = Scalars()
    length = 0
    for scalar in text.unicodeScalars {
      length += String(scalar).utf8.count
      guard length <= limit else { break }
      scalars.append(scalar)
    }
    return String(scalars)
  }

  private static func trimmed(_ text: String) -> String {
    var scalars = text.unicodeScalars[...]
    while let last = scalars.last, last == " " || last == "." { scalars.removeLast() }
    return String(scalars)
  }
}

/// Names the folder of a feed in a mount of several feeds.
package enum FolderName {
  private static let maxBytes = 120  // bytes

  /// Whether `title` has nothing that can be in the name of a folder, such as "..".
  package static func isNameless(_ title: String) -> Bool {
    FileTitle.of(title, limit: maxBytes) == FileTitle.of("", limit: maxBytes)
      && title != FileTitle.of("", limit: maxBytes)
  }

  /// - Parameters:
  ///   - title: the title from the user or the feed.
  ///   - taken: the names of the other folders.
  package static func name(_ title: String, besides taken: Set<String>) -> String {
    let name = FileTitle.of(title, limit: maxBytes)
    let all = (2...).lazy.map { "\(name) (\($0))" }
    guard taken.contains(name) else { return name }
    return all.first { !taken.contains($0) } ?? name
  }
}
