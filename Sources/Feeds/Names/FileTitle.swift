@_spi(_Unicode) import Swift

/// Remote text made fit to be the name of a file or folder.
///
/// In NFC; without "/", controls, what sets the direction of text or breaks lines, and what is no
/// character at all; spaces are single, and neither spaces nor full stops stand at an end; never empty
/// and never like an option.
enum FileTitle {
  /// Like a slash, and no path separator.
  private static let slash: Unicode.Scalar = "\u{29F8}"

  /// - Parameter limit: bytes of UTF-8; it is cut between characters, or where one character is longer
  ///   than that, within it.
  static func of(_ text: String, limit: Int) -> String {
    let name = trimmed(cut(cleaned(text), to: limit))
    return name.isEmpty ? "untitled" : name
  }

  private static func cleaned(_ text: String) -> String {
    // What is not needed at the end is not looked at: titles of megabytes exist.
    var head = Scalars()
    for scalar in text.unicodeScalars.prefix(4096) { head.append(replaced(scalar)) }
    var result = Scalars()
    var isGap = false
    for scalar in composed(String(head)) {
      if scalar == " " {
        isGap = !result.isEmpty
        continue
      }
      // Full stops at the front hide a file; a minus makes an option of it.
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

/// The name of a feed's folder, where it is one of several in a mount.
package enum FolderName {
  private static let longest = 120  // bytes

  /// - Parameters:
  ///   - title: what the user or the feed says.
  ///   - taken: the names of the other folders.
  package static func name(_ title: String, besides taken: Set<String>) -> String {
    let name = FileTitle.of(title, limit: longest)
    let all = (2...).lazy.map { "\(name) (\($0))" }
    guard taken.contains(name) else { return name }
    return all.first { !taken.contains($0) } ?? name
  }
}
