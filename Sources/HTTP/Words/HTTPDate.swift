import CCurl

/// Dates as HTTP writes them (RFC 9110 §5.6.7), read by libcurl.
enum HTTPDate {
  /// Seconds since 1970; nil for what is no date.
  static func seconds(_ text: String) -> Int? {
    let seconds = curl_getdate(text, nil)
    return seconds < 0 ? nil : Int(seconds)
  }

  /// Whether `text` can go into a header line as the date that an origin sent.
  static func isValid(_ text: String) -> Bool {
    text.utf8.count <= 64 && text.utf8.allSatisfy { (0x20...0x7e).contains($0) }
      && seconds(text) != nil
  }
}
