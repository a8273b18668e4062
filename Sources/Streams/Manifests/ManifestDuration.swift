/// Reads durations such as "PT1H2M3.4S" (ISO 8601, in the form of xs:duration).
enum ManifestDuration {
  /// Returns the duration; nil for any other text, and for more than `PlaylistLimits.duration`.
  /// Years, months and weeks count as 0.
  static func parse(_ text: String?) -> Duration? {
    guard let text, text.utf8.count <= 64, text.first == "P" else { return nil }
    var sum: Duration = .zero
    var isTime = false
    var digits = ""
    for character in text.dropFirst() {
      if character == "T" {
        isTime = true
      } else if character == "." || character.isASCII && character.isNumber {
        digits.append(character)
      } else {
        guard let unit = unit(character, isTime),
          let number = Duration(decimal: digits, atMost: PlaylistLimits.duration)
        else { return nil }
        sum += number * unit
        digits = ""
      }
    }
    return digits.isEmpty && sum <= PlaylistLimits.duration ? sum : nil
  }

  private static func unit(_ letter: Character, _ isTime: Bool) -> Int? {
    switch letter {
    case "D" where !isTime: 86_400
    case "H" where isTime: 3600
    case "M" where isTime: 60
    case "S" where isTime: 1
    // Packagers write "P0Y0M0DT…", so these units are accepted.
    case "Y" where !isTime, "M" where !isTime, "W" where !isTime: 0
    default: nil
    }
  }
}
