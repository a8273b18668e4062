import CCurl

/// The cookies of a transfer (RFC 6265).
extension Transfer {
  /// Gives the cookies for the current URL to libcurl. Returns the header fields that the caller
  /// still has to set.
  ///
  /// - Parameter fields: the header fields of the user or a resolver. The cookies in these fields
  ///   replace cookies of the same name that a server has set.
  func giveCookies(
    to easy: EasyHandle, beside fields: [HeaderField]
  ) throws(HTTPError) -> [HeaderField] {
    let own = fields.filter { $0.name.lowercased() == "cookie" }
    let names = own.flatMap { $0.value.split(separator: ";") }
      .map { String($0.prefix { $0 != "=" }).trimmed }
    given = jar.cookies(for: url, besides: Set(names))
    try easy.give(given)
    guard !given.isEmpty, !own.isEmpty else { return fields }
    // A request has only one Cookie field (RFC 6265 §5.4). So libcurl joins all cookies in it.
    try easy.set(CURLOPT_COOKIE, own.map(\.value).joined(separator: "; "))
    return fields.filter { $0.name.lowercased() != "cookie" }
  }

  /// Takes the cookies that the head of an answer has set into the jar.
  func keepCookies() {
    guard let easy else { return }
    let found = easy.cookies
    jar.take(found, given: given, from: url, mayNameDomains: EasyHandle.knowsSuffixes)
    given = found
  }
}
