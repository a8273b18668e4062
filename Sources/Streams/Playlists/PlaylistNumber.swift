/// Reads the numbers of playlists as players do, whatever their form is.
enum PlaylistNumber {
  /// Returns the whole number at the beginning of a text: 5 for "5", " +5" and "5.0". Nil for a
  /// negative number, for another text, and for a number that does not fit.
  static func whole(_ text: String) -> Int? {
    let digits = unsigned(text).prefix { $0.isASCII && $0.isNumber }
    return Int(digits)
  }

  /// Returns the duration at the beginning of a text, of seconds: "5", "+5.005", "5,005" and
  /// "5.0e+00" are five seconds or a little more. A negative number counts as a positive one, as
  /// some packagers write the sign wrongly. Nil if there is no number.
  ///
  /// - Throws: `tooLarge` for more than `PlaylistLimits.duration`.
  static func duration(_ text: String) throws(StreamError) -> Duration? {
    var text = unsigned(text)
    if text.first == "-" { text = text.dropFirst() }
    let number = text.prefix { $0.isASCII && ($0.isNumber || ".eE+-".contains($0)) }
    if let exact = Duration(decimal: number, atMost: PlaylistLimits.duration) { return exact }
    guard let seconds = Double(number) else {
      // "5.0e" and "5-6" are numbers up to the letter that does not belong there.
      let plain = number.prefix { $0.isNumber || $0 == "." }
      if plain.isEmpty || plain == "." { return nil }
      guard let duration = Duration(decimal: plain, atMost: PlaylistLimits.duration) else {
        throw .tooLarge("duration")
      }
      return duration
    }
    guard seconds >= 0, seconds <= PlaylistLimits.duration / .seconds(1) else {
      throw .tooLarge("duration")
    }
    return .nanoseconds(Int((seconds * 1e9).rounded()))
  }

  private static func unsigned(_ text: String) -> Substring {
    let text = text.drop { $0 == " " || $0 == "\t" }
    return text.first == "+" ? text.dropFirst() : text
  }
}
