import CCurl

/// The owner of one of libcurl's parsed URLs.
final class URLHandle {
  private let pointer: OpaquePointer

  init() throws(HTTPError) {
    guard let pointer = curl_url() else { throw .unavailable(reason: "no memory") }
    self.pointer = pointer
  }

  deinit { curl_url_cleanup(pointer) }

  /// Parses a whole URL, or resolves a relative one against the URL that was set before (RFC 3986
  /// §5).
  ///
  /// Feeds write spaces and letters beyond ASCII into URLs: they are encoded, not refused.
  func parse(_ text: String) throws(HTTPError) {
    let lenient = UInt32(CURLU_ALLOW_SPACE | CURLU_URLENCODE)
    guard text.utf8.count <= Self.longest, !text.utf8.contains(0),
      curl_url_set(pointer, CURLUPART_URL, text, lenient) == CURLUE_OK
    else { throw .badURL(reason: "the address does not parse as a URL") }
  }

  /// A part as it stands, or changed as `flags` (CURLU_…) say; nil if the URL has no such part.
  func part(_ part: CURLUPart, _ flags: Int32 = 0) -> String? {
    var value: UnsafeMutablePointer<CChar>?
    guard curl_url_get(pointer, part, &value, UInt32(flags)) == CURLUE_OK, let value else {
      return nil
    }
    defer { curl_free(value) }
    return String(cString: value)
  }

  func set(_ part: CURLUPart, _ value: String) throws(HTTPError) {
    guard curl_url_set(pointer, part, value, 0) == CURLUE_OK else {
      throw .badURL(reason: "the address does not parse as a URL")
    }
  }

  func remove(_ part: CURLUPart) {
    _ = curl_url_set(pointer, part, nil, 0)
  }

  /// The longest URL. No server takes longer ones, and a feed must not make us store them.
  private static let longest = 64 << 10  // bytes
}
