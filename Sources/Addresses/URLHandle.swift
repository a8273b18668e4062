import CCurl

/// Owns one URL that libcurl has parsed. No other file has pointers to such URLs.
///
/// libcurl's URL API does no I/O. libcurl parses the addresses of requests with the same parser.
@safe final class URLHandle {
  private let pointer: OpaquePointer

  enum Part {
    case whole, scheme, user, password, options, host, zone, port, path, query, fragment
  }

  /// The changes that parsing makes to an address.
  enum Form {
    /// The path stays as it is written.
    case written
    /// Dot segments of the path are removed.
    case resolved
    /// Fit for a request: dot segments are removed, and spaces and letters beyond ASCII are
    /// encoded.
    case sent
  }

  /// The form in which `part` returns a part of an address.
  enum Reading {
    case asItIs
    case decoded
    /// The host, with letters beyond ASCII encoded for DNS (IDNA).
    case punycode
    /// The port, or the default port of the scheme if the address has none.
    case defaultPort
  }

  /// Parses an absolute address.
  init(_ text: String, as form: Form) throws(AddressError) {
    guard text.utf8.count <= Self.maxBytes, !text.utf8.contains(0), let pointer = unsafe ccurl_url()
    else { throw .unreadable }
    unsafe self.pointer = pointer
    try Self.check(unsafe ccurl_url_set(pointer, CURLUPART_URL, text, form.flags))
  }

  deinit { unsafe ccurl_url_cleanup(pointer) }

  /// Returns a part of the address; nil if the address has no such part.
  func part(_ part: Part, _ reading: Reading = .asItIs) -> String? {
    var value: UnsafeMutablePointer<CChar>?
    guard unsafe ccurl_url_get(pointer, part.code, &value, reading.flags) == CURLUE_OK,
      let value = unsafe value
    else { return nil }
    defer { unsafe ccurl_free(value) }
    return unsafe String(cString: value)
  }

  func set(_ part: Part, _ value: String) throws(AddressError) {
    try Self.check(unsafe ccurl_url_set(pointer, part.code, value, 0))
  }

  func remove(_ part: Part) {
    _ = unsafe ccurl_url_set(pointer, part.code, nil, 0)
  }

  /// Returns the bytes that a percent-encoded text stands for (RFC 3986 §2.1); nil if libcurl
  /// refuses it.
  static func unescaped(_ text: String) -> [UInt8]? {
    var count: Int32 = 0
    guard let length = Int32(exactly: text.utf8.count),
      let bytes = unsafe ccurl_unescape(text, length, &count)
    else { return nil }
    defer { unsafe ccurl_free(bytes) }
    let raw = unsafe UnsafeRawBufferPointer(start: bytes, count: Int(count))
    return unsafe Array(raw)
  }

  private static func check(_ code: CURLUcode) throws(AddressError) {
    switch code {
    case CURLUE_OK: return
    case CURLUE_NO_HOST: throw .noHost
    case CURLUE_BAD_HOSTNAME, CURLUE_BAD_IPV6: throw .badHost
    case CURLUE_BAD_PORT_NUMBER: throw .badPort
    case CURLUE_BAD_SCHEME: throw .noScheme
    default: throw .unreadable
    }
  }

  /// The limit for the length of an address. No server takes a longer one, and a feed must not make
  /// feedfs save one.
  private static let maxBytes = 64 << 10  // bytes
}

extension URLHandle.Part {
  fileprivate var code: CURLUPart {
    switch self {
    case .whole: CURLUPART_URL
    case .scheme: CURLUPART_SCHEME
    case .user: CURLUPART_USER
    case .password: CURLUPART_PASSWORD
    case .options: CURLUPART_OPTIONS
    case .host: CURLUPART_HOST
    case .zone: CURLUPART_ZONEID
    case .port: CURLUPART_PORT
    case .path: CURLUPART_PATH
    case .query: CURLUPART_QUERY
    case .fragment: CURLUPART_FRAGMENT
    }
  }
}

extension URLHandle.Form {
  fileprivate var flags: UInt32 {
    switch self {
    case .written: UInt32(CURLU_PATH_AS_IS)
    case .resolved: 0
    case .sent: UInt32(CURLU_ALLOW_SPACE | CURLU_URLENCODE)
    }
  }
}

extension URLHandle.Reading {
  fileprivate var flags: UInt32 {
    switch self {
    case .asItIs: 0
    case .decoded: UInt32(CURLU_URLDECODE)
    case .punycode: UInt32(CURLU_PUNYCODE)
    case .defaultPort: UInt32(CURLU_DEFAULT_PORT)
    }
  }
}
