import CCurl

/// An http or https URL, taken apart by libcurl's own parser.
///
/// The sent URL and the checked URL come from one parser, so they cannot disagree.
package struct WebURL: Hashable, Sendable {
  /// The normalised URL without userinfo and fragment; its query may hold secrets.
  package let text: String
  package let origin: OriginName
  /// The URL for display: without userinfo and fragment, and with "?…" for a query.
  package let shown: String
  private(set) var credentials: Credentials?
  /// Header fields that go with requests to this origin.
  private(set) var fields: [HeaderField] = []

  package var host: String { origin.host }
  /// Whether the URL has a user name or password.
  package var hasCredentials: Bool { credentials != nil }

  /// User name and password of a URL, bound to the origin of that URL.
  struct Credentials: Hashable, Sendable {
    let user: String
    let password: String
    let origin: OriginName
  }

  /// Throws `badURL` for text that does not parse, and for any scheme but http and https.
  package init(parsing text: String) throws(HTTPError) {
    let handle = try URLHandle()
    try handle.parse(text)
    try self.init(handle)
  }

  /// Returns the same URL with a user name and password for its origin, as if the user had typed
  /// them in it. A user name and password of its own take precedence.
  package func carrying(user: String, password: String) -> WebURL {
    var url = self
    url.credentials =
      credentials ?? Credentials(user: user, password: password, origin: origin)
    return url
  }

  package func carrying(_ fields: [HeaderField]) -> WebURL {
    var url = self
    url.fields = fields
    return url
  }

  /// Resolves `reference` against this URL, as RFC 3986 §5 says.
  func resolving(_ reference: String) throws(HTTPError) -> WebURL {
    let handle = try URLHandle()
    try handle.parse(text)
    try handle.parse(reference)
    return try WebURL(handle)
  }

  private init(_ handle: URLHandle) throws(HTTPError) {
    guard let scheme = handle.part(CURLUPART_SCHEME)?.lowercased(),
      ["http", "https"].contains(scheme)
    else { throw .badURL(reason: "only http and https URLs can be read") }
    guard let host = handle.part(CURLUPART_HOST, CURLU_PUNYCODE)?.lowercased(), !host.isEmpty,
      let port = handle.part(CURLUPART_PORT, CURLU_DEFAULT_PORT).flatMap({ Int($0) })
    else { throw .badURL(reason: "the URL names no host that could be asked") }
    origin = OriginName(scheme: scheme, host: host, port: port)
    credentials = Credentials(handle, origin)

    for unsent in [CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_OPTIONS, CURLUPART_FRAGMENT] {
      handle.remove(unsent)
    }
    // The sent URL names the host exactly as it was checked. (Setting it drops an IPv6 zone.)
    if handle.part(CURLUPART_HOST) != host { try handle.set(CURLUPART_HOST, host) }
    guard let bare = handle.part(CURLUPART_URL) else {
      throw .badURL(reason: "the address does not parse as a URL")
    }
    text = bare
    let hasQuery = handle.part(CURLUPART_QUERY) != nil
    handle.remove(CURLUPART_QUERY)
    shown = (handle.part(CURLUPART_URL) ?? origin.description) + (hasQuery ? "?…" : "")
  }
}

extension WebURL.Credentials {
  fileprivate init?(_ handle: URLHandle, _ origin: OriginName) {
    let user = handle.part(CURLUPART_USER, CURLU_URLDECODE)
    let password = handle.part(CURLUPART_PASSWORD, CURLU_URLDECODE)
    guard user != nil || password != nil else { return nil }
    self.init(user: user ?? "", password: password ?? "", origin: origin)
  }
}

/// Returns `url` for display and logs: without userinfo, query and fragment.
package func shown(_ url: String) -> String {
  do {
    return try WebURL(parsing: url).shown
  } catch {
    return "(an address that does not parse)"
  }
}

/// Scheme, host and port: the unit of limits, backoff and credentials (RFC 6454 §4).
package struct OriginName: Hashable, Sendable, CustomStringConvertible {
  package let scheme: String
  /// The host in lower case, an IPv6 address in brackets.
  package let host: String
  package let port: Int

  package var description: String { "\(scheme)://\(host):\(port)" }
}
