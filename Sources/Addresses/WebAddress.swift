/// An http or https address, split into its parts by libcurl's parser.
///
/// The same parser is used whenever an address is used: for a request, for the check before the
/// request, for the key of a feed, and for the name in a message. So all of them agree about the
/// host.
package struct WebAddress: Hashable, Sendable {
  /// The normalised address without userinfo and fragment. Its query can contain secrets.
  package let text: String
  package let origin: OriginName
  /// The address for display: without userinfo and fragment, and with "?…" for a query.
  package let shown: String
  /// The user name and password in the address.
  package let credentials: Credentials?

  package var host: String { origin.host }

  /// User name and password of an address, bound to the origin of that address.
  package struct Credentials: Hashable, Sendable {
    package let user: String
    package let password: String
    package let origin: OriginName

    package init(user: String, password: String, origin: OriginName) {
      self.user = user
      self.password = password
      self.origin = origin
    }
  }

  /// Throws for text that does not parse, and for any scheme but http and https.
  package init(parsing text: String) throws(AddressError) {
    let handle = try URLHandle(text, as: .sent)
    let scheme = handle.part(.scheme)?.lowercased() ?? ""
    guard ["http", "https"].contains(scheme) else { throw .unsupportedScheme(scheme) }
    guard let host = handle.part(.host, .punycode)?.lowercased(), !host.isEmpty,
      let port = handle.part(.port, .defaultPort).flatMap({ Int($0) })
    else { throw .noHost }
    origin = OriginName(scheme: scheme, host: host, port: port)
    credentials = Credentials(handle, origin)

    for unsent in [URLHandle.Part.user, .password, .options, .fragment] { handle.remove(unsent) }
    // After this, the address of a request names the host exactly as it was checked. This also
    // removes an IPv6 zone.
    if handle.part(.host) != host { try handle.set(.host, host) }
    guard let bare = handle.part(.whole) else { throw .unreadable }
    self.text = bare
    let hasQuery = handle.part(.query) != nil
    handle.remove(.query)
    shown = (handle.part(.whole) ?? origin.description) + (hasQuery ? "?…" : "")
  }

  /// Resolves `reference` against this address, as RFC 3986 §5 says.
  ///
  /// A reference with a scheme must be a whole address. So "http:path" is refused in a redirect.
  package func resolving(_ reference: String) throws(AddressError) -> WebAddress {
    let isAbsolute = Self.scheme(of: reference) != nil
    return try WebAddress(parsing: isAbsolute ? reference : Self.join(reference, to: text))
  }

  /// Returns the address `text` for display and logs: without userinfo and fragment, and with "?…"
  /// for a query. If `text` is no address, returns words that say so.
  package static func shown(_ text: String) -> String {
    do {
      return try WebAddress(parsing: text).shown
    } catch {
      return "(an address that does not parse)"
    }
  }
}

extension WebAddress.Credentials {
  fileprivate init?(_ handle: URLHandle, _ origin: OriginName) {
    let user = handle.part(.user, .decoded)
    let password = handle.part(.password, .decoded)
    guard user != nil || password != nil else { return nil }
    self.init(user: user ?? "", password: password ?? "", origin: origin)
  }
}
