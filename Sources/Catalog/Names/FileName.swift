/// Makes the name of a file that is named by its entry's number: the number with at least four
/// digits, and the extension that the file had when the entry first appeared. So the publisher
/// chooses only a few ASCII letters and digits of the name.
package enum FileName {
  /// The extension for unknown media types.
  private static let unknownExtension = "bin"
  private static let maxExtensionBytes = 8  // bytes; the longest in use is "torrent"

  /// - Parameters:
  ///   - number: the entry's number, from 1.
  ///   - fileExtension: the extension without the dot. Anything but 1 to 8 letters and digits
  ///     becomes "bin".
  package static func name(number: Int, fileExtension: String) -> String {
    let lowercased = fileExtension.lowercased()
    let isPlain = isExtension(lowercased[...])
    return "\(digits(of: number)).\(isPlain ? lowercased : unknownExtension)"
  }

  /// Whether `name(number:fileExtension:)` can return `name` for `number`.
  package static func isName(_ name: String, of number: Int) -> Bool {
    let prefix = digits(of: number) + "."
    return name.hasPrefix(prefix) && isExtension(name.dropFirst(prefix.count))
  }

  /// Returns the part of any name before its last full stop; all of it if it has none.
  static func stem(of name: String) -> String {
    name.lastIndex(of: ".").map { String(name[..<$0]) } ?? name
  }

  /// Returns the part of any name behind its last full stop; empty if the name has no full stop.
  static func fileExtension(of name: String) -> String {
    name.lastIndex(of: ".").map { String(name[name.index(after: $0)...]) } ?? ""
  }

  /// Returns the number in front of the first full stop of `name`; nil if there is none.
  package static func number(in name: String) -> Int? {
    guard let dot = name.firstIndex(of: ".") else { return nil }
    return Int(name[..<dot])
  }

  private static func digits(of number: Int) -> String {
    let plain = String(number)
    return String(repeating: "0", count: max(0, 4 - plain.utf8.count)) + plain
  }

  private static func isExtension(_ text: Substring) -> Bool {
    (1...maxExtensionBytes).contains(text.utf8.count)
      && text.utf8.allSatisfy { (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) }
  }
}
