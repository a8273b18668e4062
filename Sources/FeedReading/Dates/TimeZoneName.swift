import Markup

/// Parses the zone behind a time of day.
enum TimeZoneName {
  /// Returns the seconds east of Greenwich that "+0100", "-5", "+01:30", "GMT+2", "EST" or "Z"
  /// mean; nil if the text is no zone.
  static func offset(_ text: Substring) -> Int? {
    var name = text.uppercased()[...]
    if name.hasPrefix("ETC/") { name = name.dropFirst(4) }
    // In "MST-07:00" only the number is used.
    let number = name.drop { $0.isLetter }
    if let sign = number.first, sign == "+" || sign == "-" || sign == "\u{2212}" {
      return self.number(number.dropFirst()).map { sign == "+" ? $0 : -$0 }
    }
    return hours[String(name)].map { Int($0 * 3600) }
  }

  private static func number(_ text: Substring) -> Int? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard let first = parts.first.flatMap(FeedNumber.digits) else { return nil }
    let hour, minute: Int
    if parts.count == 2 {
      guard let last = FeedNumber.digits(parts[1]) else { return nil }
      (hour, minute) = (first, last)
    } else if text.count <= 2 {
      (hour, minute) = (first, 0)
    } else {
      (hour, minute) = (first / 100, first % 100)
    }
    guard parts.count <= 2, hour <= 24, minute < 60 else { return nil }
    return hour * 3600 + minute * 60
  }

  /// Hours east of Greenwich. Zones of one letter other than Z are missing, because RFC 822 defined
  /// them wrongly (RFC 2822 §4.3).
  private static let hours: [String: Double] = [
    "Z": 0, "UT": 0, "UTC": 0, "GMT": 0, "WET": 0, "WEST": 1, "BST": 1, "IST": 5.5,
    "CET": 1, "MET": 1, "MEZ": 1, "CEST": 2, "MEST": 2, "MESZ": 2, "EET": 2, "EEST": 3,
    "SAST": 2, "MSK": 3, "MSD": 4, "PKT": 5, "ICT": 7, "WIB": 7, "CCT": 8, "HKT": 8, "SGT": 8,
    "PHT": 8, "AWST": 8, "JST": 9, "KST": 9, "ACST": 9.5, "ACDT": 10.5, "AEST": 10, "AEDT": 11,
    "NZST": 12, "NZDT": 13, "NST": -3.5, "NDT": -2.5, "AST": -4, "AT": -4, "ADT": -3, "BRT": -3,
    "BRST": -2, "ART": -3, "CLT": -4, "EST": -5, "EDT": -4, "ET": -5, "CST": -6, "CDT": -5,
    "CT": -6, "MST": -7, "MDT": -6, "MT": -7, "PST": -8, "PDT": -7, "PT": -8, "AKST": -9,
    "AKDT": -8, "HST": -10, "HAST": -10,
  ]
}
