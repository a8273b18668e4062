/// The syntax of entity tags (RFC 9110 §8.8.3).
enum EntityTag {
  /// Whether `text` is a strong entity tag: quoted, of visible ASCII without quotes inside.
  ///
  /// The standard allows bytes above 0x7f too; they are not taken, since they would not survive as
  /// text and two tags could become one.
  static func isStrong(_ text: String) -> Bool {
    let bytes = text.utf8
    guard (2...256).contains(bytes.count), bytes.first == 0x22, bytes.last == 0x22 else {
      return false
    }
    return bytes.dropFirst().dropLast().allSatisfy { $0 == 0x21 || (0x23...0x7e).contains($0) }
  }
}
